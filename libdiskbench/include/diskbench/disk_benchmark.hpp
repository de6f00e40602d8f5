#pragma once

// Measures what the disk under a folder can do, past the page cache.

#include <diskbench/options.hpp>
#include <diskbench/result.hpp>
#include <diskbench/test_file.hpp>
#include <measure/progress.hpp>

#include <filesystem>
#include <stop_token>

namespace nasdiag::diskbench {

// Blocks until done or stopped; a stopped run returns what it has. May be called from any thread; starts
// options.jobs threads, or jobs × io_depth with the blocking engine. Two calls at a time on one disk measure
// each other. Reading writes the file first, as far as it isn't written yet.
//
// Makes one file in a scratch folder under `directory` and removes both, also on failure. Never uses the
// last 5 % of a file system (measure::writable_space).
//
// Returns also when the disk hangs: stop_reason stuck, a thread of it left behind.
// Throws std::system_error if there is nothing to return: options of nonsense (diskbench::Errc), no such
// folder, no permission, no space at all, no engine.
DiskResult measure_disk(const std::filesystem::path& directory, const DiskOptions& options,
                        measure::ProgressObserver& progress, const std::stop_token& stop);

// The same on a file that is there already, which stays:
//   TestFile file("/home/dan");
//   const DiskResult written = measure_disk(file, {.pattern = Pattern::write}, progress, stop);
//   const DiskResult read = measure_disk(file, {.pattern = Pattern::read}, progress, stop);
DiskResult measure_disk(TestFile& file, const DiskOptions& options, measure::ProgressObserver& progress,
                        const std::stop_token& stop);

}  // namespace nasdiag::diskbench
