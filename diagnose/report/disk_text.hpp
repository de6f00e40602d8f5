#pragma once

// Results of the disk layer for people.

#include "diagnose/report/text_layout.hpp"

#include <diskbench/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::report {

// Where it was measured, two lines per workload and direction, then the notes.
std::string disk_text(const std::vector<diskbench::DiskResult>& results, const TextStyle& style);

// The table users of CrystalDiskMark know.
std::string cdm_text(const std::vector<diskbench::DiskResult>& results, const TextStyle& style);

// The least that was moved in any second. Nothing for series shorter than two seconds.
std::optional<measure::DataRate> slowest_second(const measure::SampleSeries& series);

}  // namespace nasdiag::report
