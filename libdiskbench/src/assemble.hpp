#pragma once

// From what the jobs counted to the figures of a result: pure.

#include "coordinator.hpp"

#include <diskbench/result.hpp>

namespace nasdiag::diskbench {

// Fills in the directions, window, processor time, errors and stop reason. `flush` is the time the flush at
// the end took, if there was one.
void add_figures(DiskResult& result, const RunOutcome& outcome, std::optional<measure::Seconds> flush);

}  // namespace nasdiag::diskbench
