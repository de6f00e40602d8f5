#pragma once

// Turns the shared counters into a series and into progress events while a worker runs.

#include "shared_progress.hpp"

#include <measure/progress.hpp>
#include <measure/sample_series.hpp>
#include <measure/steady_state.hpp>

#include <optional>
#include <string>

namespace nasdiag::filebench {

class RunRecorder {
 public:
  struct Expectation {
    std::string phase;
    measure::ByteCount size;  // of the window; zero: counted in items
    std::int64_t items = 0;
    measure::Seconds time_limit{0};
    std::optional<measure::StopRule> stop_rule;
  };
  RunRecorder(SharedProgress& shared, measure::ProgressObserver& observer, Expectation expectation);

  void tick();    // about every 100 ms while it runs
  void finish();  // the last sample and the last event

  const measure::SampleSeries& samples() const { return samples_; }
  measure::ByteCount moved() const { return measure::ByteCount::bytes(last_bytes_); }
  // From the window's start to the last byte seen.
  measure::Seconds active() const { return last_progress_; }

 private:
  void sample();
  void report(double at_least);

  SharedProgress& shared_;
  measure::ProgressObserver& observer_;
  Expectation expectation_;
  measure::SampleSeries samples_;
  measure::Seconds last_time_{0};
  measure::Seconds last_progress_{0};
  std::int64_t last_bytes_ = 0;
};

}  // namespace nasdiag::filebench
