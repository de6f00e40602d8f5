#include "run_recorder.hpp"

#include <algorithm>
#include <utility>

namespace nasdiag::filebench {

namespace {

using measure::ByteCount;
using measure::Seconds;

// A sample shorter than this says more about scheduling than about the mount.
constexpr Seconds kShortest{0.01};

}  // namespace

RunRecorder::RunRecorder(SharedProgress& shared, measure::ProgressObserver& observer, Expectation expectation)
    : shared_(shared), observer_(observer), expectation_(std::move(expectation)) {
  shared_.reset();
  report(0);
}

void RunRecorder::sample() {
  const std::int64_t start = shared_.window_start;
  if (start == 0) return;
  const std::int64_t end = shared_.window_end;
  const std::int64_t bytes = shared_.moved_bytes;
  const Seconds now = std::chrono::nanoseconds((end != 0 ? end : now_ns()) - start);
  const Seconds length = now - last_time_;
  if (length < kShortest) {
    if (end != 0 && !samples_.empty()) samples_.back().amount += ByteCount::bytes(bytes - last_bytes_);
    if (end != 0) last_bytes_ = bytes;
    return;
  }
  samples_.push_back(
      {.start = last_time_, .length = length, .amount = ByteCount::bytes(bytes - last_bytes_)});
  if (bytes != last_bytes_) last_progress_ = now;
  last_time_ = now;
  last_bytes_ = bytes;
}

void RunRecorder::tick() {
  sample();
  if (expectation_.stop_rule && measure::known_well_enough(samples_, *expectation_.stop_rule))
    shared_.enough = true;
  report(0);
}

void RunRecorder::finish() {
  sample();
  report(1);
}

void RunRecorder::report(double at_least) {
  const Seconds elapsed = last_time_;
  double fraction = 0;
  if (expectation_.size.bytes() > 0) fraction = ByteCount::bytes(last_bytes_) / expectation_.size;
  if (expectation_.items > 0)
    fraction = static_cast<double>(shared_.done_items) / static_cast<double>(expectation_.items);
  if (expectation_.time_limit.count() > 0) fraction = std::max(fraction, elapsed / expectation_.time_limit);
  measure::ProgressEvent event{.layer = "file",
                               .phase = expectation_.phase,
                               .fraction = std::clamp(fraction, at_least, 1.0),
                               .throughput = std::nullopt,
                               .time_left = std::max(Seconds(0), expectation_.time_limit - elapsed)};
  if (!samples_.empty() && at_least < 1) event.throughput = samples_.back().rate();
  if (at_least >= 1) event.time_left = Seconds(0);
  observer_.on_progress(event);
}

}  // namespace nasdiag::filebench
