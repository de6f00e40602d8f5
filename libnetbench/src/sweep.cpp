#include <measure/quantity_text.hpp>
#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/sweep.hpp>

#include <algorithm>

namespace nasdiag::netbench {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;

namespace {

constexpr double kNoGain = 1.05;  // a step that brings less ends the sweep
constexpr double kNearBest = 0.97;
constexpr std::chrono::seconds kBusyWait{5};  // for the server to be free again after the step before

Direction direction_of(const TcpOptions& options) {
  if (options.flow == Flow::both)
    throw std::system_error(std::make_error_code(std::errc::invalid_argument), "a sweep has one direction");
  return options.flow == Flow::write ? Direction::write : Direction::read;
}

DataRate throughput_of(const TcpResult& result) { return result.directions.front().throughput; }

// Measures the steps in order until one brings no gain, or one fails that isn't the first.
class Sweep {
 public:
  Sweep(measure::ProgressObserver& progress, const std::stop_token& stop)
      : progress_(progress), stop_(stop) {}

  // False: enough.
  bool add(TcpOptions step) {
    step.busy_wait = std::max<std::chrono::milliseconds>(step.busy_wait, kBusyWait);
    try {
      results_.push_back(measure_tcp(step, progress_, stop_));
    } catch (const std::system_error&) {
      if (results_.empty()) throw;
      return false;
    }
    const StopReason reason = results_.back().stop_reason;
    return reason != StopReason::stopped && reason != StopReason::peer_ended;
  }
  bool gained() const {
    if (results_.size() < 2) return true;
    return throughput_of(results_.back()) > throughput_of(results_[results_.size() - 2]) * kNoGain;
  }
  DataRate best() const {
    DataRate most;
    for (const TcpResult& result : results_) most = std::max(most, throughput_of(result));
    return most;
  }
  std::vector<TcpResult>& results() { return results_; }

 private:
  measure::ProgressObserver& progress_;
  const std::stop_token& stop_;
  std::vector<TcpResult> results_;
};

}  // namespace

StreamSweep sweep_streams(const TcpOptions& options, const std::vector<int>& streams,
                          measure::ProgressObserver& progress, const std::stop_token& stop) {
  StreamSweep result;
  result.direction = direction_of(options);
  Sweep sweep(progress, stop);
  for (const int count : streams) {
    TcpOptions step = options;
    step.streams = count;
    if (!sweep.add(step) || !sweep.gained()) break;
  }
  result.steps = std::move(sweep.results());
  std::vector<StreamStep> steps;
  for (const TcpResult& step : result.steps) steps.push_back({step.options.streams, throughput_of(step)});
  result.ceiling = judge_ceiling(steps);
  result.enough_streams = enough_streams(steps);
  return result;
}

WindowSweep sweep_windows(const TcpOptions& options, const std::vector<ByteCount>& windows,
                          measure::ProgressObserver& progress, const std::stop_token& stop) {
  WindowSweep result;
  result.direction = direction_of(options);
  Sweep sweep(progress, stop);
  int without_gain = 0;  // windows grow by doubling: one flat step may be chance, two aren't
  for (const ByteCount window : windows) {
    TcpOptions step = options;
    step.window = window;
    if (!sweep.add(step)) break;
    without_gain = sweep.gained() ? 0 : without_gain + 1;
    if (without_gain == 2) break;
  }
  const DataRate best = sweep.best();
  result.steps = std::move(sweep.results());
  for (const TcpResult& step : result.steps) {
    if (throughput_of(step) >= best * kNearBest) {
      result.enough_window = step.options.window;
      break;
    }
  }
  return result;
}

int enough_streams(const std::vector<StreamStep>& steps) {
  DataRate best;
  for (const StreamStep& step : steps) best = std::max(best, step.throughput);
  for (const StreamStep& step : steps) {
    if (step.throughput >= best * kNearBest) return step.streams;
  }
  return 1;
}

Ceiling judge_ceiling(const std::vector<StreamStep>& steps) {
  if (steps.size() < 2 || steps.front().throughput.bits_per_second() <= 0) return Ceiling::unknown;
  const StreamStep& one = steps.front();
  DataRate best;
  for (const StreamStep& step : steps) best = std::max(best, step.throughput);
  constexpr double kShared = 1.10;   // all flows together are hardly faster than one
  constexpr double kPerFlow = 1.30;  // well beyond the scatter of repeated runs
  const double gain = best / one.throughput;
  if (gain < kShared) return Ceiling::shared;
  return gain > kPerFlow ? Ceiling::per_flow : Ceiling::unknown;
}

std::optional<std::vector<ByteCount>> parse_window_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const auto first = measure::parse_byte_count(text.substr(0, dots));
  const auto last = measure::parse_byte_count(text.substr(dots + 2));
  constexpr ByteCount kSmallest = ByteCount::kibibytes(1);
  if (!first || !last || *first < kSmallest || *last < *first || *last > ByteCount::mebibytes(512))
    return std::nullopt;
  std::vector<ByteCount> windows;
  for (ByteCount window = *first; window < *last; window = window * 2) windows.push_back(window);
  windows.push_back(*last);
  return windows;
}

}  // namespace nasdiag::netbench
