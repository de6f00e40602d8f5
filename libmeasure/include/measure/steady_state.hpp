#pragma once

// When is a rate known well enough to stop measuring, and from where on does it count?
//
// Pure functions over a series of equally long samples (100 ms is usual).

#include <measure/sample_series.hpp>

#include <cstddef>
#include <optional>

namespace nasdiag::measure {

// Index of the first sample after warm-up (slow start, cold caches): MSER-5 (White 1997): the truncation
// point that makes the standard error of the rest smallest, looked for in the first half of the series.
// Fewer than 10 samples: 0.
std::size_t warm_up_end(const SampleSeries& series);

struct Precision {
  DataRate mean;
  DataRate half_width;           // of the 95 % confidence interval of the mean
  std::size_t first_sample = 0;  // where the steady window begins
  std::size_t samples = 0;       // in the steady window

  double relative() const { return mean.bits_per_second() > 0 ? half_width / mean : 1.0; }
  DataRate low() const { return mean - half_width; }
  DataRate high() const { return mean + half_width; }
  bool operator==(const Precision&) const = default;
};

// Mean of the samples from `first` on with its interval. Neighbouring samples of a TCP or disk run are
// correlated, which makes the naive interval too narrow; the variance of the mean is estimated over
// non-overlapping batches (Law and Kelton, Simulation Modeling and Analysis, 9.5.3), as many as keep the
// batches nearly uncorrelated (lag-1 correlation of the batch means below 0.2), at least 5, with Student's t.
// Nothing for fewer than 10 samples.
std::optional<Precision> precision(const SampleSeries& series, std::size_t first);

struct StopRule {
  double relative_half_width = 0.03;  // ±3 %
  Seconds shortest{1.0};              // of the steady window, whatever the interval says
};

// The precision of the series after its warm-up, if it meets the rule; else nothing: go on.
std::optional<Precision> known_well_enough(const SampleSeries& series, const StopRule& rule = {});

}  // namespace nasdiag::measure
