#pragma once

// Does a rate rise or fall over a run (heat, a disk's inner tracks)? Theil-Sen slope (median of pairwise
// slopes, insensitive to outliers) with the Mann-Kendall test for whether it is real.

#include <measure/sample_series.hpp>

#include <optional>

namespace nasdiag::measure {

struct Trend {
  double relative_change = 0;  // over the whole series, of the median rate: -0.20 = a fifth slower at the end
  double p_value = 1;          // two-sided, Mann-Kendall; samples are grouped into at most 20 means first
  bool significant() const { return p_value < 0.01 && (relative_change > 0.05 || relative_change < -0.05); }
  bool operator==(const Trend&) const = default;
};

// Nothing for fewer than 10 samples.
std::optional<Trend> trend(const SampleSeries& series);

}  // namespace nasdiag::measure
