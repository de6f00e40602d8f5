#include "diagnose/plan/steps.hpp"

#include <filebench/error.hpp>

#include <system_error>

namespace nasdiag::plan {

namespace {

using evidence::Experiment;
using evidence::ExperimentKind;
using evidence::Outcome;
using filebench::TransferResult;
using measure::Direction;

Outcome outcome_of(filebench::Outcome outcome) {
  switch (outcome) {
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
    no_session_ =
        "No file could be moved over " + settings_.mount_folder + ": " + filebench::sentence_of(error);
    if (!no_session_.ends_with('.')) no_session_ += '.';
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

// Four files at once, of which the read needs as many to be there.
TransferResult Steps::transfer_in_parallel(const Step& step) {
  constexpr std::size_t kFiles = 4;
  filebench::FileSession& files = session();
  const bool writes = step.direction == Direction::write;
  const filebench::WriteOptions write{
      .size = step.byte_limit, .time_limit = writes ? step.time_limit : step.time_limit / 2, .files = kFiles};
  TransferResult written = files.measure_write(write, progress_, stop_);
  if (writes || written.outcome != filebench::Outcome::ok) return written;
  return files.measure_read({.size = step.byte_limit, .time_limit = step.time_limit / 2, .files = kFiles},
                            progress_, stop_);
}

void Steps::measure_commits(const Step& step, Experiment& experiment) {
  filebench::CommitResult result =
      session().measure_commits({.time_limit = step.time_limit}, progress_, stop_);
  experiment.outcome = outcome_of(result.outcome);
  experiment.failure = result.failure;
  experiment.result = std::move(result);
}

void Steps::measure_files(const Step& step, Experiment& experiment) {
  if (step.kind == ExperimentKind::commits) {
    measure_commits(step, experiment);
    return;
  }
  if (step.direction == Direction::read && nothing_written_)
    throw StepSkipped("Not measured: there is no file to read, since it could not be written.");
  TransferResult result =
      step.kind == ExperimentKind::mount_parallel ? transfer_in_parallel(step) : transfer(step);
  experiment.outcome = outcome_of(result.outcome);
  experiment.failure = result.failure;
  if (step.direction == Direction::write)
    nothing_written_ = !result.failure.empty() && result.amount == measure::ByteCount();
  experiment.result = std::move(result);
}

}  // namespace nasdiag::plan
