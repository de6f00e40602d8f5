#include "diagnose/plan/steps.hpp"

#include <system_error>

namespace nasdiag::plan {

namespace {

using evidence::Experiment;
using evidence::ExperimentKind;
using evidence::Outcome;
using filebench::TransferResult;
using measure::Direction;

Outcome outcome_of(const TransferResult& result) {
  switch (result.outcome) {
    case filebench::Outcome::ok:
    case filebench::Outcome::stopped:
      return Outcome::ok;
    case filebench::Outcome::failed:
    case filebench::Outcome::hung:
      return Outcome::failed;
    case filebench::Outcome::skipped:
      return Outcome::skipped;
  }
  return Outcome::failed;
}

}  // namespace

filebench::FileSession& Steps::session() {
  if (settings_.mount_folder.empty())
    throw StepSkipped("Not measured: no --mount was given. Name a folder on the mounted share with --mount.");
  if (!no_session_.empty()) throw StepSkipped("Not tried again: " + no_session_);
  if (session_) return *session_;
  try {
    session_ = std::make_unique<filebench::FileSession>(
        filebench::SessionOptions{.mount_folder = settings_.mount_folder,
                                  .local_folder = settings_.local_folder},
        stop_);
    return *session_;
  } catch (const std::system_error& error) {
    no_session_ = "No file could be moved over " + settings_.mount_folder + ": " + error.what() + ".";
    throw StepFailed(no_session_);
  }
}

TransferResult Steps::transfer(const Step& step) {
  filebench::FileSession& files = session();
  if (step.kind == ExperimentKind::mount_to_memory) {
    if (step.direction == Direction::write)
      return files.measure_write({.size = step.byte_limit, .time_limit = step.time_limit}, progress_, stop_);
    return files.measure_read({.size = step.byte_limit, .time_limit = step.time_limit}, progress_, stop_);
  }
  // In the copy's pieces, so that it can be compared with the copy, too.
  if (step.kind == ExperimentKind::mount_again)
    return files.measure_read({.size = step.byte_limit,
                               .time_limit = step.time_limit,
                               .piece_size = filebench::CopyOptions{}.piece_size,
                               .again = true},
                              progress_, stop_);
  const filebench::CopyOptions options{.size = step.byte_limit, .time_limit = step.time_limit};
  if (step.direction == Direction::write) return files.measure_copy_to(options, progress_, stop_);
  return files.measure_copy_from(options, progress_, stop_);
}

void Steps::measure_files(const Step& step, Experiment& experiment) {
  TransferResult result = transfer(step);
  experiment.outcome = outcome_of(result);
  experiment.failure = result.failure;
  experiment.result = std::move(result);
}

}  // namespace nasdiag::plan
