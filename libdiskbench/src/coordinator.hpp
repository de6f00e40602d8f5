#pragma once

// Runs the jobs of a Run: opens and closes the window, samples the counters, decides when to stop, and
// notices when the disk hangs.

#include "run_state.hpp"

#include <measure/progress.hpp>
#include <measure/sample_series.hpp>
#include <measure/steady_state.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace nasdiag::diskbench {

struct RunLimits {
  std::string phase_name;  // for the observer
  std::chrono::milliseconds ramp{0};
  std::optional<std::chrono::milliseconds> runtime;
  std::optional<measure::StopRule> precision;
  std::optional<measure::ByteCount> expected;  // for the fraction done, where the bytes decide
  std::chrono::milliseconds stuck_after{20'000};
};

struct RunOutcome {
  StopReason stop_reason = StopReason::once;
  measure::SampleSeries read;
  measure::SampleSeries write;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  Clock::time_point window_open{};
  Clock::time_point window_close{};  // last counted completion
  std::vector<JobResult> jobs;       // empty if stuck
};

// Throws std::system_error if an engine can't be made or fails.
RunOutcome run_jobs(const std::shared_ptr<Run>& run, const RunLimits& limits,
                    measure::ProgressObserver& progress, const std::stop_token& stop);

}  // namespace nasdiag::diskbench
