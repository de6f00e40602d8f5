#pragma once

// Where a rate stepped from one level to another (write cache used up, a cable that fell to 100 Mbit/s).
//
// Binary segmentation on least squares, on ranks rather than raw rates so that single outliers can't make
// a step; a split counts when a permutation test (seeded, repeatable) finds it in fewer than 1 % of shuffles.
// What is shuffled are runs of samples as long as their correlation reaches, since noise with memory drifts
// to levels of its own. Of the splits those stay whose levels on both sides differ by `smallest_step`.

#include <measure/sample_series.hpp>

#include <cstddef>
#include <vector>

namespace nasdiag::measure {

struct ChangePoint {
  std::size_t sample = 0;  // first sample at the new level
  Seconds time{0};         // since the start of the run
  ByteCount moved_before;  // bytes since the start of the series
  DataRate before;         // median rate of the segment before and after
  DataRate after;
  bool operator==(const ChangePoint&) const = default;
};

struct ChangePointOptions {
  double smallest_step = 0.20;       // of the larger level
  std::size_t shortest_segment = 5;  // samples
  std::size_t most = 5;              // change points
};

// Oldest first; empty when the rate kept its level.
std::vector<ChangePoint> change_points(const SampleSeries& series, const ChangePointOptions& options = {});

}  // namespace nasdiag::measure
