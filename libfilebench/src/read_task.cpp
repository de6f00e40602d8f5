// Reading back what was written, with the client's pages dropped or kept, hashed and compared.

#include "content.hpp"
#include "file_reader.hpp"
#include "page_cache.hpp"
#include "user_file_check.hpp"
#include "worker_state.hpp"

#include <filebench/transfer_benchmark.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

namespace nasdiag::filebench {

namespace {

constexpr double kGone = 0.01;

std::vector<MadeFile> files_to_read(const WorkerState& state, const ReadOptions& options) {
  if (!options.user_file.empty()) return {{.path = options.user_file, .seed = 0, .size = options.size}};
  const std::size_t count =
      std::clamp<std::size_t>(options.files, 1, std::max<std::size_t>(1, state.written.size()));
  return {state.written.begin(),
          state.written.begin() + static_cast<std::ptrdiff_t>(std::min(count, state.written.size()))};
}

// The largest share that stayed resident; nothing if one file wouldn't tell.
std::optional<double> drop_and_check(WorkerState& state, const std::vector<MadeFile>& files) {
  std::optional<double> resident = 0.0;
  for (const MadeFile& file : files) {
    state.progress.enter(Activity::drop_pages);
    Descriptor fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) continue;  // the read says why
    drop_pages(fd.get());
    const auto share = resident_share(fd.get());
    resident = share && resident ? std::optional(std::max(*share, *resident)) : std::nullopt;
  }
  state.progress.enter(Activity::idle);
  return resident;
}

void judge_cache(TransferResult& result, const std::optional<double>& resident, bool user_file) {
  if (!resident) return;
  result.cache_check = CacheCheck::page_residency;
  if (*resident < kGone)
    result.cache = user_file ? CacheState::unknown : CacheState::server_warm;
  else if (*resident > 0.5)
    result.cache = CacheState::warm;
  if (*resident >= kGone)
    result.notes.push_back(
        {.code = "pages-stayed",
         .severity = measure::Severity::warning,
         .text = std::to_string(static_cast<int>(*resident * 100)) +
                 " % of the file stayed in this machine's memory although it was told to drop it: "
                 "the read may not have come from the server."});
}

void note_refused_direct(TransferResult& result, const std::vector<ReadFigures>& reads, ReadPath wanted) {
  result.read_path = reads.front().path;
  if (result.read_path != wanted)
    result.notes.push_back({.code = "direct-refused",
                            .severity = measure::Severity::info,
                            .text = "The mount refuses O_DIRECT; the read went through the page cache."});
}

DataRate hash_rate_of(WorkerState& state) {
  if (!state.hash_rate) state.hash_rate = hash_ceiling(state.folders.hash);
  return *state.hash_rate;
}

// A read that spends so much of its time waiting for the hash, or runs so near its rate, is limited by it.
bool hash_limits(const TransferResult& result, const ReadFigures& read, DataRate ceiling) {
  const bool reader_waited = Seconds(read.waited_for_hash) > result.window * 0.2;
  return reader_waited || ceiling < result.rate * 1.1;
}

void judge_hash(WorkerState& state, TransferResult& result, const std::vector<MadeFile>& files,
                const std::vector<ReadFigures>& reads, bool user_file) {
  HashResult hash{.kind = state.folders.hash, .digest = reads.front().digest, .ceiling = hash_rate_of(state)};
  if (files.size() == 1) hash.limits_read = hash_limits(result, reads.front(), *hash.ceiling);
  if (!user_file) hash.verdict = HashVerdict::match;
  for (std::size_t i = 0; i < files.size() && !user_file; ++i) {
    if (expected_digest(files[i].seed, ByteCount::bytes(reads[i].amount), hash.kind) == reads[i].digest)
      continue;
    hash.verdict = HashVerdict::mismatch;
    result.notes.push_back(
        {.code = "hash-mismatch",
         .severity = measure::Severity::warning,
         .text = "What was read back is not what was written: data is damaged on the way or on "
                 "the server. Check memory, cables and disks before trusting copies."});
    break;
  }
  if (hash.limits_read)
    result.notes.push_back({.code = "hash-limits-read",
                            .severity = measure::Severity::warning,
                            .text = "This machine's hash is the limit of the read (" +
                                    std::string(to_string(hash.kind)) + "), not the mount."});
  result.hash = hash;
}

// Reading and hashing overlap where two threads can run at once, unless the hash is so fast that handing the
// data to another core takes longer. (O_DIRECT has no read-ahead that goes on meanwhile.)
bool hash_on_its_own_thread(WorkerState& state, const ReadOptions& options, std::size_t files) {
  constexpr DataRate kHardlyNoticed = DataRate::megabytes_per_second(16'000);
  if (!options.hash || files > 1 || std::thread::hardware_concurrency() < 2) return false;
  if (options.path == ReadPath::direct) return true;
  if (options.cache == ReadCache::keep && state.folders.hash == HashKind::xxh3) return false;
  return hash_rate_of(state) < kHardlyNoticed;
}

ReadPlan plan_for(WorkerState& state, const ReadOptions& options, std::size_t files,
                  const WindowScope& window) {
  return {.piece_size = static_cast<std::size_t>(options.piece_size.value().bytes()),
          .size = 0,
          .path = options.path,
          .hash = options.hash ? std::optional(state.folders.hash) : std::nullopt,
          .hash_apart = hash_on_its_own_thread(state, options, files),
          .should_end = [&state, &window, limit = options.time_limit] {
            return state.progress.should_end() || window.since_start(now_ns()) >= limit;
          }};
}

std::vector<ReadFigures> read_all(WorkerState& state, const ReadOptions& options,
                                  const std::vector<MadeFile>& files, const WindowScope& window) {
  std::vector<ReadFigures> reads(files.size());
  const std::int64_t share = options.size.bytes() / static_cast<std::int64_t>(files.size());
  run_together(files.size(), [&](std::size_t i) {
    ReadPlan plan = plan_for(state, options, files.size(), window);
    plan.size = std::min(share, files[i].size.bytes());
    reads[i] = read_file(files[i].path, plan, state.progress);
  });
  return reads;
}

// A second's worth, so that it fits into the memory of a small server, too.
constexpr ByteCount kMostAgain = ByteCount::mebibytes(64);

std::vector<ReadFigures> read_last_part(WorkerState& state, const ReadOptions& options, const MadeFile& file,
                                        const WindowScope& window) {
  ReadPlan plan = plan_for(state, options, 1, window);
  plan.size = std::min({options.size, kMostAgain, state.read_until}).bytes();
  plan.start = state.read_until.bytes() - plan.size;
  plan.hash.reset();  // compared when it was read first
  return {read_file(file.path, plan, state.progress)};
}

std::optional<Failure> add_up(TransferResult& result, const std::vector<ReadFigures>& reads,
                              const WindowScope& window) {
  std::optional<Failure> failure;
  std::int64_t finished_at = 0;
  for (const ReadFigures& read : reads) {
    result.amount += ByteCount::bytes(read.amount);
    finished_at = std::max(finished_at, read.finished_at);
    if (!failure) failure = read.failure;
  }
  result.window = window.since_start(finished_at);
  result.rate = result.amount / result.window;
  return failure;
}

void prepare_cache(WorkerState& state, const ReadOptions& options, const std::vector<MadeFile>& files,
                   TransferResult& result) {
  if (options.cache == ReadCache::keep) {
    ReadOptions first = options;
    first.path = ReadPath::buffered;
    first.hash = false;
    WindowScope not_shown(state.progress);
    read_all(state, first, files, not_shown);
    state.progress.reset();
    result.kind = TransferKind::read_warm;
    result.cache = CacheState::warm;
    return;
  }
  judge_cache(result, drop_and_check(state, files), !options.user_file.empty());
  if (state.folders.drop_all_caches && !drop_all_caches())
    result.notes.push_back(
        {.code = "drop-caches-refused",
         .severity = measure::Severity::info,
         .text = "Dropping this machine's page cache needs root; only the file's own pages were "
                 "dropped."});
}

void note_user_file(WorkerState& state, const ReadOptions& options, TransferResult& result) {
  state.progress.enter(Activity::read);
  for (measure::Note& note : judge_user_file(options.user_file)) result.notes.push_back(std::move(note));
  state.progress.enter(Activity::idle);
}

}  // namespace

TransferResult run_read(WorkerState& state, const ReadOptions& options) {
  const bool user_file = !options.user_file.empty();
  const std::vector<MadeFile> files = files_to_read(state, options);
  TransferResult result{.kind = user_file       ? TransferKind::read_user_file
                                : options.again ? TransferKind::read_again
                                                : TransferKind::read_back,
                        .direction = Direction::read,
                        .piece_size = options.piece_size.value(),
                        .files = files.size()};
  if (files.empty()) {
    conclude(result, Failure{.activity = Activity::open, .error = ENOENT}, state.progress);
    return result;
  }
  prepare_cache(state, options, files, result);
  if (options.hash) hash_rate_of(state);  // measured here, so that it doesn't fall into the window
  WindowScope window(state.progress);
  const std::vector<ReadFigures> reads = options.again ? read_last_part(state, options, files.front(), window)
                                                       : read_all(state, options, files, window);
  window.end();
  if (!user_file && !options.again) state.read_until = ByteCount::bytes(reads.front().amount);
  conclude(result, add_up(result, reads, window), state.progress, result.amount);
  note_refused_direct(result, reads, options.path);
  if (user_file) note_user_file(state, options, result);
  if (options.hash && !options.again && !state.progress.stop)
    judge_hash(state, result, files, reads, user_file);
  return result;
}

}  // namespace nasdiag::filebench
