// Durable write from memory, one or several files at once.

#include "content.hpp"
#include "file_writer.hpp"
#include "worker_state.hpp"
#include "write_budget.hpp"

#include <algorithm>
#include <memory>

namespace nasdiag::filebench {

namespace {

struct Job {
  MadeFile file;
  std::unique_ptr<Content> content;
  std::unique_ptr<FileWriter> writer;
};

void write_file(Job& job, const WriteOptions& options, WriteBudget& budget, SharedProgress& progress) {
  FileWriter& writer = *job.writer;
  writer.open(job.file.path);
  const std::int64_t size = job.file.size.bytes();
  while (!writer.failed() && writer.accepted() < size && !progress.should_end() &&
         !budget.over(progress.moved_bytes)) {
    const auto piece = std::min(options.piece_size->bytes(), size - writer.accepted());
    writer.write(job.content->at(writer.accepted(), static_cast<std::size_t>(piece)));
  }
  writer.finish();
}

std::vector<Job> prepare(WorkerState& state, const WriteOptions& options, ByteCount size) {
  std::vector<Job> jobs(std::max<std::size_t>(1, options.files));
  for (Job& job : jobs) {
    job.file = {.path = state.new_path(state.mount->path()),
                .seed = fresh_seed(),
                .size = ByteCount::bytes(size.bytes() / static_cast<std::int64_t>(jobs.size()))};
    job.content = std::make_unique<Content>(job.file.seed);
    job.writer = std::make_unique<FileWriter>(state.progress, Side::mount, Writeback::early);
  }
  return jobs;
}

void fill_in(TransferResult& result, const std::vector<Job>& jobs, const WindowScope& window) {
  std::int64_t accepted = 0;
  std::int64_t accepted_at = 0;
  std::int64_t finished_at = 0;
  for (const Job& job : jobs) {
    accepted += job.writer->accepted();
    accepted_at = std::max(accepted_at, job.writer->accepted_at());
    finished_at = std::max(finished_at, job.writer->finished_at());
  }
  result.amount = ByteCount::bytes(accepted);
  result.window = window.since_start(finished_at);
  result.accepted_after = window.since_start(accepted_at);
  result.flush_time = result.window - *result.accepted_after;
  result.accepted_rate = result.amount / *result.accepted_after;
  result.rate = result.amount / result.window;
}

std::optional<Failure> first_failure(const std::vector<Job>& jobs) {
  for (const Job& job : jobs)
    if (job.writer->failed()) return job.writer->failure();
  return std::nullopt;
}

}  // namespace

TransferResult run_write(WorkerState& state, const WriteOptions& options) {
  TransferResult result{.kind = TransferKind::write_from_memory,
                        .direction = Direction::write,
                        .piece_size = options.piece_size.value(),
                        .files = std::max<std::size_t>(1, options.files)};
  for (const MadeFile& file : state.written) state.remove(file.path);
  state.written.clear();
  state.read_until = {};
  const WorkerState::FittedSize fitted = state.fit_to_space(state.mount->path(), options.size);
  result.notes = fitted.notes;
  if (fitted.size.bytes() <= 0) {
    conclude(result, Failure{.activity = Activity::write, .error = ENOSPC}, state.progress);
    return result;
  }
  std::vector<Job> jobs = prepare(state, options, fitted.size);
  WindowScope window(state.progress);
  state.progress.enter(Activity::stat);  // the budget asks the mount what it is, which may never return
  WriteBudget budget(state.mount->path(), options.time_limit, state.durable_rate);
  state.progress.enter(Activity::idle);
  run_together(jobs.size(), [&](std::size_t i) { write_file(jobs[i], options, budget, state.progress); });
  window.end();
  fill_in(result, jobs, window);
  conclude(result, first_failure(jobs), state.progress, result.amount);
  if (state.progress.stop) {
    result.rate = DataRate();  // nothing was flushed
    result.notes.push_back({.code = "not-flushed",
                            .severity = measure::Severity::warning,
                            .text = "The run was stopped before the flush: what was written may never have "
                                    "left this machine, so there is no durable rate."});
  } else if (result.rate.bits_per_second() > 0) {
    state.durable_rate = result.rate;
  }
  for (Job& job : jobs) {
    job.file.size = ByteCount::bytes(job.writer->accepted());
    state.written.push_back(job.file);
  }
  return result;
}

}  // namespace nasdiag::filebench
