#pragma once

// The same measurement with more and more streams, or with larger and larger windows: does one connection
// reach what several do, and how large must a window be?

#include <measure/progress.hpp>
#include <netbench/options.hpp>
#include <netbench/result.hpp>

#include <optional>
#include <stop_token>
#include <vector>

namespace nasdiag::netbench {

enum class Ceiling {
  unknown,
  shared,   // more streams bring nothing: one link, disk or bus that all share
  per_flow  // more streams bring more: each connection has a limit of its own (router core, window)
};

constexpr const char* to_string(Ceiling ceiling) {
  return ceiling == Ceiling::shared ? "shared" : ceiling == Ceiling::per_flow ? "per-flow" : "unknown";
}

struct StreamSweep {
  measure::Direction direction = measure::Direction::write;
  std::vector<TcpResult> steps;  // in the order of the streams
  Ceiling ceiling = Ceiling::unknown;
  int enough_streams = 1;  // the fewest that reach 97 % of the best
  bool operator==(const StreamSweep&) const = default;
};

struct WindowSweep {
  measure::Direction direction = measure::Direction::write;
  std::vector<TcpResult> steps;                     // in the order of the windows
  std::optional<measure::ByteCount> enough_window;  // the smallest that reaches 97 % of the best
  bool operator==(const WindowSweep&) const = default;
};

// options.time is per step. Ends early once a step gains less than 5 % over the one before. Only Flow::write
// and Flow::read. Throws as measure_tcp does if the first step fails; a later failure or stop keeps the steps
// so far.
StreamSweep sweep_streams(const TcpOptions& options, const std::vector<int>& streams,
                          measure::ProgressObserver& progress, const std::stop_token& stop);
WindowSweep sweep_windows(const TcpOptions& options, const std::vector<measure::ByteCount>& windows,
                          measure::ProgressObserver& progress, const std::stop_token& stop);

// The decisions alone: throughputs in the order of the steps.
struct StreamStep {
  int streams = 1;
  measure::DataRate throughput;
};
Ceiling judge_ceiling(const std::vector<StreamStep>& steps);
int enough_streams(const std::vector<StreamStep>& steps);  // the fewest that reach 97 % of the best

// "8k..4M": powers of two from the first to the last, both included. Nothing if it isn't one.
std::optional<std::vector<measure::ByteCount>> parse_window_range(const std::string& text);

}  // namespace nasdiag::netbench
