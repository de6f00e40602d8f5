#include "failure.hpp"
#include "messages.hpp"
#include "mount_counters.hpp"
#include "mount_system.hpp"
#include "run_recorder.hpp"
#include "transfer_judge.hpp"
#include "worker_process.hpp"

#include <filebench/error.hpp>
#include <filebench/transfer_benchmark.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace nasdiag::filebench {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kCleanUpWait{5000};

std::string in_megabytes(ByteCount amount) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", amount.megabytes());
  return text;
}

}  // namespace

class FileSession::Impl {
 public:
  Impl(SessionOptions options, std::stop_token stop);
  ~Impl();

  template <class Options>
  TransferResult transfer(Command command, const Options& options, TransferResult blank,
                          RunRecorder::Expectation expectation, measure::ProgressObserver& progress,
                          const std::stop_token& stop);
  template <class Result, class Options>
  Result other(Command command, const Options& options, Result blank, RunRecorder::Expectation expectation,
               measure::ProgressObserver& progress, const std::stop_token& stop);

  const SessionOptions& options() const { return options_; }
  bool has_written() const { return has_written_; }
  // Empty: copies can be measured.
  std::string why_no_copy() const;
  void written() { has_written_ = true; }
  ByteCount suitable_write_piece() const {
    return mount_.kind == MountKind::sshfs ? ByteCount::kibibytes(128) : ByteCount::mebibytes(1);
  }
  ByteCount suitable_read_piece(const ReadOptions& options) const {
    const bool on_this_machine = mount_.kind == MountKind::local || options.cache == ReadCache::keep;
    return on_this_machine && options.path == ReadPath::buffered ? ByteCount::kibibytes(256)
                                                                 : ByteCount::mebibytes(1);
  }

 private:
  template <class Options>
  TransferResult run_once(Command command, const Options& options, TransferResult blank,
                          const RunRecorder::Expectation& expectation, measure::ProgressObserver& progress,
                          const std::stop_token& stop);
  WorkerProcess::Ending ask(Command command, const std::string& value, RunRecorder& recorder,
                            const std::stop_token& stop, std::string& reply);
  // Outcome and sentence of an experiment whose answer never came.
  template <class Result>
  void explain_silence(Result& result, WorkerProcess::Ending ending, ByteCount moved);
  template <class Result>
  bool refuse(Result& result, const std::stop_token& stop) const;
  void wait_until_sent(TransferResult& result, const CounterSnapshot& before, Seconds at_most,
                       const std::stop_token& stop);

  SessionOptions options_;
  std::unique_ptr<WorkerProcess> worker_;
  Mount mount_;
  std::optional<CounterReader> counters_;
  std::string lost_;  // why the worker can't be asked any more; empty: it can
  bool has_written_ = false;
  std::filesystem::path local_scratch_;
  bool one_file_system_ = false;
};

FileSession::Impl::Impl(SessionOptions options, std::stop_token stop) : options_(std::move(options)) {
  options_.mount_folder = std::filesystem::absolute(options_.mount_folder).lexically_normal();
  if (!options_.local_folder.empty())
    options_.local_folder = std::filesystem::absolute(options_.local_folder).lexically_normal();
  worker_ = std::make_unique<WorkerProcess>(options_.worker_program);
  const OpenFolders folders{.mount_folder = options_.mount_folder,
                            .local_folder = options_.local_folder,
                            .hash = options_.hash,
                            .drop_all_caches = options_.drop_all_caches};
  std::string reply;
  const auto ending = worker_->ask(
      Command::open_folders, packed(folders),
      {.stall_limit = options_.stall_limit, .stop = std::move(stop), .on_tick = {}, .sign_of_life = {}},
      reply);
  const std::string context = "opening the folder " + options_.mount_folder.string();
  switch (ending) {
    case WorkerProcess::Ending::answered:
      break;
    case WorkerProcess::Ending::hung:
      throw std::system_error(Errc::mount_silent, context);
    case WorkerProcess::Ending::stopped:
      throw std::system_error(ECANCELED, std::generic_category(), context);
    case WorkerProcess::Ending::died:
      throw std::system_error(Errc::worker_not_started, context);
  }
  const auto opened = unpacked<Opened>(reply);
  if (opened.error != 0) throw std::system_error(opened.error, std::generic_category(), opened.context);
  local_scratch_ = opened.local_scratch;
  one_file_system_ = opened.one_file_system;
  mount_ = read_mount("/", opened.resolved, options_.mount_folder);
  counters_.emplace(mount_, std::vector<int>{worker_->pid()});
}

// A server may copy within its share all by itself, and a client clone: that is no figure of the network.
std::string FileSession::Impl::why_no_copy() const {
  if (options_.local_folder.empty()) return "Not tried: no local folder was given.";
  if (!one_file_system_ || !mount_.is_network()) return {};
  return "Not measured: the local folder " + options_.local_folder.string() +
         " is on the mount itself, so that a copy need not cross the network. Name a folder on this "
         "computer's own "
         "disk with --local.";
}

FileSession::Impl::~Impl() {
  if (lost_.empty()) {
    worker_->finish(kCleanUpWait);
    return;
  }
  // A worker stuck on the mount can't remove what it made on the local disk, which isn't stuck.
  std::error_code ignored;
  if (!local_scratch_.empty()) std::filesystem::remove_all(local_scratch_, ignored);
}

WorkerProcess::Ending FileSession::Impl::ask(Command command, const std::string& value, RunRecorder& recorder,
                                             const std::stop_token& stop, std::string& reply) {
  std::uint64_t moved = 0;
  const auto ending =
      worker_->ask(command, value,
                   {.stall_limit = options_.stall_limit,
                    .stop = stop,
                    .on_tick = [&] { recorder.tick(); },
                    .sign_of_life = [&] { return std::exchange(moved, counters_->movement()) != moved; }},
                   reply);
  recorder.finish();
  return ending;
}

template <class Result>
void FileSession::Impl::explain_silence(Result& result, WorkerProcess::Ending ending, ByteCount moved) {
  const std::string where =
      std::string(to_string(worker_->progress().activity.load())) + " (" + worker_->describe_state() + ")";
  switch (ending) {
    case WorkerProcess::Ending::hung:
      result.outcome = Outcome::hung;
      result.failure = "The mount stopped answering after " + in_megabytes(moved) + ", in " + where + ".";
      result.error_number = ETIMEDOUT;
      lost_ = "the mount stopped answering in an earlier experiment";
      break;
    case WorkerProcess::Ending::stopped:
      result.outcome = Outcome::stopped;
      result.failure = "Stopped by the user while the mount was still in " + where + ".";
      lost_ = "the session was stopped";
      break;
    default:
      result.outcome = Outcome::failed;
      result.failure = "The worker process ended unexpectedly after " + in_megabytes(moved) + ".";
      lost_ = "the worker process is gone";
  }
}

template <class Result>
bool FileSession::Impl::refuse(Result& result, const std::stop_token& stop) const {
  if (!lost_.empty()) {
    result.outcome = Outcome::skipped;
    result.failure = "Not tried: " + lost_ + ".";
    return true;
  }
  if (stop.stop_requested()) {
    result.outcome = Outcome::stopped;
    result.failure = "Stopped by the user.";
    return true;
  }
  return false;
}

// A fixed time per file, which makes short files look slower than the way to the server is.
std::string idle_text(Seconds idle) {
  if (idle < Seconds(0.5)) return "";
  return " Of that, " + measure::duration_text(idle) +
         " went by before the mount's program sent anything (rclone's --vfs-write-back): with a longer file "
         "that weighs less.";
}

// Where fsync proves nothing, the window ends when the interfaces have carried the data.
void FileSession::Impl::wait_until_sent(TransferResult& result, const CounterSnapshot& before,
                                        Seconds at_most, const std::stop_token& stop) {
  if (!flush_is_no_proof(mount_.kind) || result.direction != Direction::write ||
      result.outcome != Outcome::ok)
    return;
  const std::int64_t begin = now_ns();
  const auto waited = [&] { return Seconds(std::chrono::nanoseconds(now_ns() - begin)); };
  constexpr double kBegun = 0.02;  // what else a mount says to its server is less
  Seconds idle{0};                 // from the return of close until data began to go out
  while (waited() < at_most && !stop.stop_requested()) {
    result.counters = difference(before, counters_->take());
    const auto share = share_on_the_wire(result, mount_);
    if (!share) return;
    if (*share >= 1.0) break;
    if (*share < kBegun) idle = waited();
    std::this_thread::sleep_for(milliseconds(20));
  }
  const Seconds extra = waited();
  if (extra < Seconds(0.1)) return;
  result.window += extra;
  result.flush_time = result.flush_time.value_or(Seconds(0)) + extra;
  result.rate = result.amount / result.window;
  result.notes.push_back(
      {.code = "flush-returned-early",
       .severity = measure::Severity::warning,
       .text = "fsync and close returned before the data was sent; the window ends when the "
               "network interface had carried it." +
               idle_text(idle)});
}

template <class Options>
TransferResult FileSession::Impl::run_once(Command command, const Options& options, TransferResult blank,
                                           const RunRecorder::Expectation& expectation,
                                           measure::ProgressObserver& progress, const std::stop_token& stop) {
  TransferResult result = std::move(blank);
  if (refuse(result, stop)) return result;
  RunRecorder recorder(worker_->progress(), progress, expectation);
  const CounterSnapshot before = counters_->take();
  std::string reply;
  const auto ending = ask(command, packed(options), recorder, stop, reply);
  if (ending == WorkerProcess::Ending::answered) {
    result = unpacked<TransferResult>(reply);
    wait_until_sent(result, before, expectation.time_limit, stop);
  } else {
    result.amount = recorder.moved();
    result.window = recorder.active();
    // Of a write nothing was flushed, so there is no durable rate.
    if (result.direction == Direction::read) result.rate = result.amount / result.window;
    explain_silence(result, ending, result.amount);
  }
  result.samples = recorder.samples();
  result.counters = difference(before, counters_->take());
  judge_transfer(result, mount_, options_.link_rate);
  return result;
}

template <class Options>
TransferResult FileSession::Impl::transfer(Command command, const Options& options, TransferResult blank,
                                           RunRecorder::Expectation expectation,
                                           measure::ProgressObserver& progress, const std::stop_token& stop) {
  const int repeats = std::max(1, options.repeats);
  const std::string phase = expectation.phase;
  std::vector<TransferResult> runs;
  for (int run = 0; run < repeats; ++run) {
    if (repeats > 1)
      expectation.phase = phase + ", run " + std::to_string(run + 1) + " of " + std::to_string(repeats);
    runs.push_back(run_once(command, options, blank, expectation, progress, stop));
    if (runs.back().outcome != Outcome::ok) break;
  }
  return combine_runs(std::move(runs));
}

template <class Result, class Options>
Result FileSession::Impl::other(Command command, const Options& options, Result blank,
                                RunRecorder::Expectation expectation, measure::ProgressObserver& progress,
                                const std::stop_token& stop) {
  Result result = std::move(blank);
  if (refuse(result, stop)) return result;
  RunRecorder recorder(worker_->progress(), progress, std::move(expectation));
  const CounterSnapshot before = counters_->take();
  std::string reply;
  const auto ending = ask(command, packed(options), recorder, stop, reply);
  if (ending == WorkerProcess::Ending::answered)
    result = unpacked<Result>(reply);
  else
    explain_silence(result, ending, recorder.moved());
  if constexpr (requires { result.counters; }) result.counters = difference(before, counters_->take());
  return result;
}

FileSession::FileSession(SessionOptions options, std::stop_token stop)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(stop))) {}

FileSession::~FileSession() = default;

TransferResult FileSession::measure_write(const WriteOptions& options, measure::ProgressObserver& progress,
                                          const std::stop_token& stop) {
  WriteOptions suited = options;
  suited.piece_size = options.piece_size.value_or(impl_->suitable_write_piece());
  const TransferResult blank{.kind = TransferKind::write_from_memory,
                             .direction = Direction::write,
                             .piece_size = *suited.piece_size,
                             .files = options.files};
  TransferResult result =
      impl_->transfer(Command::write, suited, blank,
                      {.phase = options.files > 1 ? "write, " + std::to_string(options.files) + " files"
                                                  : std::string("write"),
                       .size = options.size,
                       .time_limit = options.time_limit},
                      progress, stop);
  if (result.amount.bytes() > 0) impl_->written();
  return result;
}

TransferResult FileSession::measure_read(const ReadOptions& options, measure::ProgressObserver& progress,
                                         const std::stop_token& stop) {
  const bool user_file = !options.user_file.empty();
  if (!user_file && !impl_->has_written())
    measure_write({.size = options.size, .time_limit = options.time_limit, .files = options.files}, progress,
                  stop);
  ReadOptions suited = options;
  suited.piece_size = options.piece_size.value_or(impl_->suitable_read_piece(options));
  if (user_file) suited.user_file = std::filesystem::absolute(options.user_file).lexically_normal();
  const TransferResult blank{.kind = user_file                          ? TransferKind::read_user_file
                                     : options.again                    ? TransferKind::read_again
                                     : options.cache == ReadCache::keep ? TransferKind::read_warm
                                                                        : TransferKind::read_back,
                             .direction = Direction::read,
                             .piece_size = *suited.piece_size,
                             .files = options.files};
  std::string phase = options.cache == ReadCache::keep ? "warm read" : "read";
  if (options.again) phase = "read again";
  if (options.files > 1) phase += ", " + std::to_string(options.files) + " files";
  return impl_->transfer(Command::read, suited, blank,
                         {.phase = phase,
                          .size = options.size,
                          .time_limit = options.time_limit,
                          .stop_rule = options.stop_rule},
                         progress, stop);
}

namespace {

TransferResult blank_copy(const CopyOptions& options, Direction direction) {
  return {.kind = direction == Direction::write ? TransferKind::copy_to_mount : TransferKind::copy_from_mount,
          .direction = direction,
          .piece_size = options.piece_size,
          .copy_mode = options.mode};
}

}  // namespace

TransferResult FileSession::measure_copy_to(const CopyOptions& options, measure::ProgressObserver& progress,
                                            const std::stop_token& stop) {
  TransferResult blank = blank_copy(options, Direction::write);
  blank.failure = impl_->why_no_copy();
  if (!blank.failure.empty()) return blank;
  return impl_->transfer(
      Command::copy_to, options, blank,
      {.phase = "copy to the mount", .size = options.size, .time_limit = options.time_limit}, progress, stop);
}

TransferResult FileSession::measure_copy_from(const CopyOptions& options, measure::ProgressObserver& progress,
                                              const std::stop_token& stop) {
  TransferResult blank = blank_copy(options, Direction::read);
  blank.failure = impl_->why_no_copy();
  if (!blank.failure.empty()) return blank;
  if (!impl_->has_written())
    measure_write({.size = options.size, .time_limit = options.time_limit}, progress, stop);
  return impl_->transfer(
      Command::copy_from, options, blank,
      {.phase = "copy from the mount", .size = options.size, .time_limit = options.time_limit}, progress,
      stop);
}

SweepResult FileSession::measure_requests(const SweepOptions& options, measure::ProgressObserver& progress,
                                          const std::stop_token& stop) {
  if (options.direction == Direction::read && !impl_->has_written())
    measure_write({.size = ByteCount::mebibytes(256), .time_limit = Seconds(5)}, progress, stop);
  const auto points = static_cast<double>(options.request_sizes.size() + options.in_flight.size());
  return impl_->other(Command::requests, options, SweepResult{.direction = options.direction},
                      {.phase = std::string("requests, ") + to_string(options.direction),
                       .time_limit = options.time_per_point * points},
                      progress, stop);
}

SmallFilesResult FileSession::measure_small_files(const SmallFilesOptions& options,
                                                  measure::ProgressObserver& progress,
                                                  const std::stop_token& stop) {
  return impl_->other(
      Command::small_files, options,
      SmallFilesResult{.file_size = options.file_size, .threads = options.threads, .fsync = options.fsync},
      {.phase = "small files", .items = static_cast<std::int64_t>(options.files) * 4}, progress, stop);
}

ListingResult FileSession::measure_listing(const ListingOptions& options, measure::ProgressObserver& progress,
                                           const std::stop_token& stop) {
  return impl_->other(Command::listing, options, ListingResult{},
                      {.phase = "listing", .items = static_cast<std::int64_t>(options.entries) * 2}, progress,
                      stop);
}

CommitResult FileSession::measure_commits(const CommitOptions& options, measure::ProgressObserver& progress,
                                          const std::stop_token& stop) {
  return impl_->other(Command::commits, options, CommitResult{},
                      {.phase = "commits",
                       .items = static_cast<std::int64_t>(options.commits),
                       .time_limit = options.time_limit},
                      progress, stop);
}

}  // namespace nasdiag::filebench
