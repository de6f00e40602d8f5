#pragma once

// Runs a plan and gathers the evidence. Every layer may fail; the others are still measured.

#include <diagnose/evidence/evidence.hpp>
#include <measure/progress.hpp>

#include <stop_token>
#include <string>

namespace nasdiag::plan {

struct RunRequest {
  evidence::RunSettings settings;
  std::string label;
  std::string nasdiag_version;
};

// Blocks for the budget of the settings at most, and some seconds for connecting and cleaning up. Stopped, it
// returns within a second or two with what was measured, the rest marked as skipped. Makes files only in
// fresh
// `.nasdiag-…` folders under the mount and the local folder, and removes them. Never throws for what a layer
// does; the failure is in its experiment.
evidence::Evidence run(const RunRequest& request, measure::ProgressObserver& progress,
                       const std::stop_token& stop);

// Where local files are measured if the user named no folder: the home folder, or /var/tmp if that can't be
// written to. (/tmp is often in memory.)
std::string default_local_folder();

}  // namespace nasdiag::plan
