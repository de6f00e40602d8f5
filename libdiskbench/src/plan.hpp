#pragma once

// From what was asked to what is done: pure, no I/O.

#include "run_state.hpp"

#include <diskbench/options.hpp>
#include <measure/quantity.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::diskbench {

// Throws std::system_error (Errc::bad_options, too_much_memory) with one sentence about what is wrong.
void check_options(const DiskOptions& options, measure::ByteCount memory);

// The memory a run takes is io_depth × jobs × block_size plus a constant; at most this share of all memory.
inline constexpr int kLargestMemoryShare = 4;

struct Region {
  measure::ByteCount size;  // of each job, whole blocks
  bool shrunk = false;
};

// How large each job's region may be with so much room. Throws std::system_error (ENOSPC) when not even
// one block (and 1 MiB) per job fits.
Region region_within(const DiskOptions& options, measure::ByteCount room,
                     const std::filesystem::path& directory);

std::vector<JobPlan> job_plans(const DiskOptions& options, measure::ByteCount region);

// "random read 4 KiB, 2 jobs × 32"
std::string phase_name(const DiskOptions& options);

}  // namespace nasdiag::diskbench
