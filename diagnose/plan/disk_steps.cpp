#include "diagnose/plan/steps.hpp"

#include <diskbench/disk_benchmark.hpp>
#include <measure/scratch_folder.hpp>

#include <chrono>
#include <system_error>

namespace nasdiag::plan {

namespace {

using diskbench::DiskOptions;
using diskbench::DiskResult;
using diskbench::Pattern;
using diskbench::StopReason;
using evidence::Experiment;
using measure::Direction;

// The job's direction write reads the local disk.
DiskOptions options_of(const Step& step) {
  DiskOptions options;
  options.pattern = step.direction == Direction::write ? Pattern::read : Pattern::write;
  options.size = step.byte_limit;
  options.runtime = std::chrono::duration_cast<std::chrono::milliseconds>(step.time_limit);
  options.prepare_limit = options.runtime;
  return options;
}

std::string failure_of(const DiskResult& result, const std::string& folder) {
  if (result.stop_reason == StopReason::stuck)
    return "The disk under " + folder +
           " stopped answering; the figure is that until then. Check it (dmesg, SMART).";
  if (result.stop_reason == StopReason::error)
    return "The disk under " + folder + " reported errors (" + std::to_string(result.error_count) +
           "); check it (dmesg, SMART).";
  if (result.stop_reason == StopReason::no_space)
    return "The file system under " + folder +
           " became full; the figure is that until then. Free some space.";
  return {};
}

}  // namespace

void Steps::measure_disk(const Step& step, Experiment& experiment) {
  try {
    if (!test_file_) {
      measure::remove_stale_scratch_folders(settings_.local_folder);
      test_file_.emplace(settings_.local_folder);
    }
    DiskResult result = diskbench::measure_disk(*test_file_, options_of(step), progress_, stop_);
    experiment.failure = failure_of(result, settings_.local_folder);
    if (!experiment.failure.empty()) experiment.outcome = evidence::Outcome::failed;
    experiment.result = std::move(result);
  } catch (const std::system_error& error) {
    throw StepFailed("The disk under " + settings_.local_folder + " could not be measured: " + error.what() +
                     ". Name a folder you can write to with --local.");
  }
}

}  // namespace nasdiag::plan
