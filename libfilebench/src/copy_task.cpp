// The user's job: a file from the local folder to the mount, or back, flushed inside the window.

#include "content.hpp"
#include "file_reader.hpp"
#include "file_writer.hpp"
#include "page_cache.hpp"
#include "piece_ring.hpp"
#include "worker_state.hpp"
#include "write_budget.hpp"

#include <fcntl.h>

#include <algorithm>
#include <thread>

namespace nasdiag::filebench {

namespace {

struct Ends {
  MadeFile source;
  Side source_side = Side::local;
  std::filesystem::path target;
  Side target_side = Side::mount;
};

// Reading counts the progress of the window; writing would count it a second time.
struct CopyRun {
  WorkerState& state;
  const CopyOptions& options;
  SharedProgress uncounted;
  FileReader reader;
  FileWriter writer;
  WriteBudget budget;

  CopyRun(WorkerState& worker, const CopyOptions& copy_options, const Ends& ends)
      : state(worker),
        options(copy_options),
        reader(uncounted, ends.source_side),
        writer(worker.progress, ends.target_side, Writeback::kernel),
        budget(ends.target.parent_path(), copy_options.time_limit,
               ends.target_side == Side::mount ? worker.durable_rate : std::nullopt) {}

  bool goes_on(std::int64_t size) {
    return !writer.failed() && writer.accepted() < size && !state.progress.should_end() &&
           !budget.over(writer.accepted());
  }
};

void copy_one_after_other(CopyRun& run, std::int64_t size) {
  const auto piece = static_cast<std::size_t>(run.options.piece_size.bytes());
  AlignedBuffer buffer(piece);
  while (run.goes_on(size)) {
    const auto wanted = std::min(piece, static_cast<std::size_t>(size - run.writer.accepted()));
    run.state.progress.enter(Activity::read);
    const std::size_t count = run.reader.read(buffer.span().first(wanted));
    if (count == 0) break;
    run.state.progress.enter(Activity::write);
    run.writer.write(buffer.span().first(count));
  }
}

void copy_overlapped(CopyRun& run, std::int64_t size) {
  PieceRing ring(static_cast<std::size_t>(run.options.piece_size.bytes()));
  std::atomic<bool> ended{false};
  std::jthread reading([&] {
    std::int64_t left = size;
    while (left > 0 && !ended) {
      const auto space = ring.free_slot();
      const std::size_t count =
          run.reader.read(space.first(std::min(space.size(), static_cast<std::size_t>(left))));
      if (count == 0) break;
      left -= static_cast<std::int64_t>(count);
      ring.publish(count);
    }
    ring.free_slot();
    ring.publish(0);
  });
  for (auto piece = ring.next(); !piece.empty(); piece = ring.next()) {
    if (run.goes_on(size))
      run.writer.write(piece);
    else
      ended = true;
    ring.release();
  }
}

void drop_source(WorkerState& state, const MadeFile& source, TransferResult& result) {
  state.progress.enter(Activity::drop_pages);
  const Descriptor fd(::open(source.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return;  // the copy says why
  drop_pages(fd.get());
  const auto resident = resident_share(fd.get());
  if (!resident) return;
  result.cache_check = CacheCheck::page_residency;
  if (*resident < 0.01)
    result.cache = result.direction == Direction::write ? CacheState::cold : CacheState::server_warm;
  else if (*resident > 0.5)
    result.cache = CacheState::warm;
}

void fill_in(TransferResult& result, const CopyRun& run, const WindowScope& window) {
  result.amount = ByteCount::bytes(run.writer.accepted());
  result.window = window.since_start(run.writer.finished_at());
  result.accepted_after = window.since_start(run.writer.accepted_at());
  result.flush_time = result.window - *result.accepted_after;
  result.accepted_rate = result.amount / *result.accepted_after;
  if (!run.state.progress.stop) result.rate = result.amount / result.window;
}

TransferResult copy(WorkerState& state, const CopyOptions& options, const Ends& ends, TransferResult result) {
  drop_source(state, ends.source, result);
  state.progress.enter(Activity::stat);  // the budget asks the target what it is, which may never return
  CopyRun run(state, options, ends);
  state.progress.enter(Activity::idle);
  const std::int64_t size = std::min(options.size, ends.source.size).bytes();
  WindowScope window(state.progress);
  run.reader.open(ends.source.path, ReadPath::buffered);
  if (!run.reader.failure()) {
    run.writer.open(ends.target);
    if (options.mode == CopyMode::as_cp)
      copy_one_after_other(run, size);
    else
      copy_overlapped(run, size);
    run.writer.finish();
  }
  window.end();
  fill_in(result, run, window);
  conclude(result, run.reader.failure() ? run.reader.failure() : run.writer.failure(), state.progress,
           result.amount);
  return result;
}

TransferResult start_result(TransferKind kind, Direction direction, const CopyOptions& options) {
  return {.kind = kind, .direction = direction, .piece_size = options.piece_size, .copy_mode = options.mode};
}

// The copy in the local folder against what was written: from this machine's memory mostly, outside the
// window.
void verify_copy(WorkerState& state, const std::filesystem::path& copy, const MadeFile& source,
                 TransferResult& result) {
  SharedProgress uncounted;
  const ReadPlan plan{.piece_size = std::size_t{1} << 20U,
                      .size = result.amount.bytes(),
                      .hash = HashKind::xxh3,
                      .should_end = [&state] { return state.progress.stop.load(); }};
  const ReadFigures read = read_file(copy, plan, uncounted);
  if (read.failure || read.amount != result.amount.bytes()) return;
  const bool same = read.digest == expected_digest(source.seed, result.amount, HashKind::xxh3);
  result.hash = HashResult{.kind = HashKind::xxh3,
                           .verdict = same ? HashVerdict::match : HashVerdict::mismatch,
                           .digest = read.digest};
  if (!same)
    result.notes.push_back(
        {.code = "hash-mismatch",
         .severity = measure::Severity::warning,
         .text = "The copy is not what was written on the mount: data is damaged on the way. Check "
                 "memory, cables and disks before trusting copies."});
}

// More than the mount takes in the time limit is never copied; nothing known: as much as asked for.
ByteCount worth_copying(const WorkerState& state, const CopyOptions& options, ByteCount size) {
  constexpr double kSpare = 1.5;  // a copy may go faster than the write before it
  if (!state.durable_rate) return size;
  return std::min(size, *state.durable_rate * (options.time_limit * kSpare));
}

// Makes the source of copies to the mount if the one there is too small, or as much of it as the local disk
// takes in the time limit.
std::optional<Failure> make_local_source(WorkerState& state, const CopyOptions& options, ByteCount size) {
  if (state.local_source && state.local_source->size >= size) return std::nullopt;
  if (state.local_source) state.remove(state.local_source->path);
  MadeFile file{.path = state.new_path(state.local->path()), .seed = fresh_seed(), .size = size};
  Content content(file.seed);
  SharedProgress uncounted;
  WriteBudget budget(state.local->path(), options.time_limit, std::nullopt);
  FileWriter writer(uncounted, Side::local, Writeback::early);
  writer.open(file.path);
  while (!writer.failed() && writer.accepted() < size.bytes() && !budget.over(writer.accepted()) &&
         !state.progress.stop) {
    const auto left = static_cast<std::size_t>(size.bytes() - writer.accepted());
    writer.write(content.at(writer.accepted(), std::min(left, std::size_t{1} << 20U)));
    state.progress.did(0);
  }
  writer.finish();
  file.size = ByteCount::bytes(writer.accepted());
  state.local_source = file;
  return writer.failure();
}

}  // namespace

TransferResult run_copy_to(WorkerState& state, const CopyOptions& options) {
  TransferResult result = start_result(TransferKind::copy_to_mount, Direction::write, options);
  if (!state.local) return result;
  const WorkerState::FittedSize here = state.fit_to_space(state.local->path(), options.size);
  const WorkerState::FittedSize there = state.fit_to_space(state.mount->path(), here.size);
  result.notes = there.size < here.size ? there.notes : here.notes;
  std::optional<Failure> failure;
  if (there.size.bytes() <= 0)
    failure = Failure{.activity = Activity::write,
                      .error = ENOSPC,
                      .side = here.size.bytes() <= 0 ? Side::local : Side::mount};
  else
    failure = make_local_source(state, options, worth_copying(state, options, there.size));
  if (failure || state.progress.stop) {
    conclude(result, failure, state.progress);
    return result;
  }
  const Ends ends{.source = *state.local_source,
                  .source_side = Side::local,
                  .target = state.new_path(state.mount->path()),
                  .target_side = Side::mount};
  CopyOptions fitted = options;
  fitted.size = there.size;
  result = copy(state, fitted, ends, result);
  state.remove(ends.target);
  return result;
}

TransferResult run_copy_from(WorkerState& state, const CopyOptions& options) {
  TransferResult result = start_result(TransferKind::copy_from_mount, Direction::read, options);
  if (!state.local) return result;
  WorkerState::FittedSize fitted = state.fit_to_space(state.local->path(), options.size);
  if (fitted.size < options.size && state.local_source) {
    state.remove(state.local_source->path);
    state.local_source.reset();
    fitted = state.fit_to_space(state.local->path(), options.size);
  }
  result.notes = fitted.notes;
  if (fitted.size.bytes() <= 0 || state.written.empty()) {
    const bool full = fitted.size.bytes() <= 0;
    conclude(result,
             Failure{.activity = full ? Activity::write : Activity::open,
                     .error = full ? ENOSPC : ENOENT,
                     .side = full ? Side::local : Side::mount},
             state.progress);
    return result;
  }
  const Ends ends{.source = state.written.front(),
                  .source_side = Side::mount,
                  .target = state.new_path(state.local->path()),
                  .target_side = Side::local};
  CopyOptions sized = options;
  sized.size = fitted.size;
  result = copy(state, sized, ends, result);
  if (result.outcome == Outcome::ok) verify_copy(state, ends.target, ends.source, result);
  std::error_code ignored;
  std::filesystem::remove(ends.target, ignored);
  return result;
}

}  // namespace nasdiag::filebench
