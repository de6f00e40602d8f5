#include "measurement.hpp"

#include "assemble.hpp"
#include "coordinator.hpp"
#include "file_access.hpp"
#include "guarded.hpp"
#include "page_cache.hpp"
#include "plan.hpp"
#include "result_notes.hpp"
#include "test_file_state.hpp"

#include <diskbench/error.hpp>
#include <measure/quantity_text.hpp>
#include <measure/scratch_folder.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>
#include <system_error>
#include <thread>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;
using measure::Seconds;

constexpr ByteCount kPreparingBlock = ByteCount::mebibytes(1);
constexpr unsigned kPreparingDepth = 8;
constexpr double kMuchResident = 0.05;
constexpr std::chrono::milliseconds kWatch{200};

ByteCount memory_of_machine() {
  return ByteCount::bytes(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)));
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

// A run whose threads have all ended gives the file back at once, whichever thread is the last to forget the
// run.
class RunOfFile {
 public:
  explicit RunOfFile(std::shared_ptr<Run> run) : run_(std::move(run)) {}
  ~RunOfFile() {
    if (!stuck_) run_->let_go_of_file();
  }
  RunOfFile(const RunOfFile&) = delete;
  RunOfFile& operator=(const RunOfFile&) = delete;

  RunOutcome run(const RunLimits& limits, measure::ProgressObserver& progress, const std::stop_token& stop) {
    RunOutcome outcome = run_jobs(run_, limits, progress, stop);
    stuck_ = outcome.stop_reason == StopReason::stuck;
    return outcome;
  }
  Run& get() { return *run_; }

 private:
  std::shared_ptr<Run> run_;
  bool stuck_ = false;
};

class Measurement {
 public:
  Measurement(const EngineFactory& make_engine, std::shared_ptr<TestFile::State> file,
              const DiskOptions& options, measure::ProgressObserver& progress, const std::stop_token& stop)
      : make_engine_(make_engine),
        file_(std::move(file)),
        options_(options),
        progress_(progress),
        stop_(stop) {}

  DiskResult run() {
    check_options(options_, memory_of_machine());
    result_.options = options_;
    look_around();
    fit_region();
    if (needs_written_file() && !prepare()) return conclude();
    if (!needs_written_file()) reserve();
    if (reads(options_.pattern)) empty_cache();
    measure();
    return conclude();
  }

 private:
  // A random or mixed writer overwrites: allocating is another matter, and not what it is for.
  bool needs_written_file() const { return options_.pattern != Pattern::write && !is_null(); }
  bool is_null() const { return options_.engine == EngineChoice::null; }

  void look_around() {
    result_.storage = within(options_.stuck_after, "looking at " + file_->directory.string(),
                             [file = file_] { return storage_under(file->directory); });
    if (!is_null() && !file_->looked_for_others.exchange(true)) watch_for_others();
    Access access = within(options_.stuck_after, "opening " + file_->path.string(),
                           [file = file_, options = options_] { return choose_access(file->path, options); });
    access_.cache_path = access.cache_path;
    access_.notes.insert(access_.notes.end(), access.notes.begin(), access.notes.end());
  }

  // A disk that is busy before anything begins belongs to somebody else as well.
  void watch_for_others() {
    if (result_.storage.devices.empty()) return;
    const std::string& device = result_.storage.devices.front().name;
    const auto before = activity_of(device);
    std::this_thread::sleep_for(kWatch);
    const auto after = activity_of(device);
    if (!before || !after) return;
    if (const auto note = note_about_others(device, *before, *after, kWatch)) access_.notes.push_back(*note);
  }

  void fit_region() {
    const auto space = within(
        options_.stuck_after, "asking for the free space of " + file_->directory.string(), [file = file_] {
          const OpenFile opened = open_test_file(file->path, CachePath::buffered, Sync::none);
          const auto free = measure::writable_space(file->directory);
          return free.value_or(ByteCount::gibibytes(1)) + allocated_size(opened.get());
        });
    const Region region = region_within(options_, space, file_->directory);
    result_.region = region.size;
    if (region.shrunk)
      access_.notes.push_back({"region-shrunk", measure::Severity::info,
                               "The test file was made smaller than asked for (" +
                                   to_text(region.size * options_.jobs) +
                                   ") to leave the file system its reserve."});
  }

  ByteCount whole() const { return result_.region * options_.jobs; }

  // Writes what isn't written yet. False: there is nothing to measure on.
  bool prepare() {
    const ByteCount written = ByteCount::bytes(file_->written.load());
    if (written >= whole()) return true;
    if (options_.prepare_limit && options_.prepare_limit->count() == 0) return shrink_to(written);
    const std::int64_t block = kPreparingBlock.bytes();
    const std::int64_t first = written.bytes() / block;
    const std::int64_t end = (whole().bytes() + block - 1) / block;
    const RunOutcome outcome = write_blocks(first, end);
    for (const JobResult& job : outcome.jobs) note_errors_of(job);
    const bool failed = result_.error_count > 0 && outcome.stop_reason != StopReason::no_space;
    if (!failed && outcome.stop_reason != StopReason::stopped && outcome.stop_reason != StopReason::stuck)
      return shrink_to(ByteCount::bytes(file_->written.load()));
    result_.stop_reason = failed ? StopReason::error : outcome.stop_reason;
    return false;
  }

  RunOutcome write_blocks(std::int64_t first, std::int64_t end) {
    DiskOptions options{
        .pattern = Pattern::write, .block_size = kPreparingBlock, .io_depth = kPreparingDepth};
    options.once = true;
    const ByteCount missing = kPreparingBlock * (end - first);
    RunOfFile run(make_run(job_plans(options, missing), preparing_path(), Sync::none));
    run.get().plans.front().region_start = static_cast<std::uint64_t>(first * kPreparingBlock.bytes());
    const RunLimits limits{.phase_name = "prepare",
                           .runtime = options_.prepare_limit,
                           .expected = missing,
                           .stuck_after = options_.stuck_after};
    reserve();
    RunOutcome outcome = run.run(limits, progress_, stop_);
    if (outcome.stop_reason == StopReason::stuck) return outcome;
    note_written(outcome, first * kPreparingBlock.bytes(), kPreparingBlock);
    flush(run.get());
    return outcome;
  }

  // Past the page cache wherever possible, even for a buffered measurement: there is less to drop then.
  CachePath preparing_path() const {
    DiskOptions options{.block_size = kPreparingBlock};
    return options_.direct == Direct::off ? CachePath::buffered
                                          : choose_access(file_->path, options).cache_path;
  }

  bool shrink_to(ByteCount written) {
    const std::int64_t block = options_.block_size.bytes();
    const std::int64_t possible = written.bytes() / options_.jobs / block * block;
    if (possible >= result_.region.bytes()) return true;
    if (possible == 0)
      throw std::system_error(ENOSPC, std::generic_category(),
                              "writing a file to read in " + file_->directory.string());
    result_.region = ByteCount::bytes(possible);
    return true;
  }

  void reserve() {
    if (is_null()) return;
    within(options_.stuck_after, "taking space in " + file_->directory.string(),
           [file = file_, size = whole()] {
             const OpenFile opened = open_test_file(file->path, CachePath::buffered, Sync::none);
             reserve_space(opened.get(), size, file->directory);
             return true;
           });
  }

  // Reads must come from the disk; where the file system only pretends to read past the cache, that shows
  // here.
  void empty_cache() {
    if (is_null()) return;
    const auto length = static_cast<std::uint64_t>(whole().bytes());
    result_.resident_share = within(options_.stuck_after, "emptying the page cache", [file = file_, length] {
      const OpenFile opened = open_test_file(file->path, CachePath::buffered, Sync::none);
      evict(opened.get(), length);
      return resident_share(opened.get(), length);
    });
  }

  std::shared_ptr<Run> make_run(std::vector<JobPlan> plans, CachePath path, Sync sync) {
    auto run = std::make_shared<Run>(plans.size());
    run->test_file = file_;
    run->make_engine = make_engine_;
    run->plans = std::move(plans);
    run->file = within(options_.stuck_after, "opening " + file_->path.string(),
                       [file = file_, path, sync] { return open_test_file(file->path, path, sync); });
    for (JobPlan& plan : run->plans) {
      plan.content_seed = fresh_seed();
      plan.evict_each_pass = path == CachePath::buffered && reads(plan.pattern);
    }
    return run;
  }

  RunLimits limits() const {
    RunLimits limits{
        .phase_name = phase_name(options_), .ramp = options_.ramp_time, .stuck_after = options_.stuck_after};
    if (options_.runtime.count() > 0) limits.runtime = options_.runtime;
    if (options_.once) limits.expected = whole();
    if (options_.byte_limit) limits.expected = options_.byte_limit;
    if (options_.precision)
      limits.precision =
          measure::StopRule{.relative_half_width = *options_.precision, .shortest = shortest_window()};
    return limits;
  }

  // A write cache makes the first second or two of writing steady and wrong.
  Seconds shortest_window() const { return writes(options_.pattern) ? Seconds(3) : Seconds(1); }

  void measure() {
    RunOfFile run(make_run(job_plans(options_, result_.region), access_.cache_path, options_.sync));
    forbid_polling_where_impossible(run.get());
    RunOutcome outcome = run.run(limits(), progress_, stop_);
    if (outcome.stop_reason == StopReason::stuck) {
      add_figures(result_, outcome, std::nullopt);
      return;
    }
    if (outcome.stop_reason == StopReason::once && options_.byte_limit)
      outcome.stop_reason = StopReason::bytes;
    if (options_.pattern == Pattern::write) note_written(outcome, 0, options_.block_size);
    std::optional<Seconds> flush_time;
    if (writes(options_.pattern) && (options_.end_flush || options_.end_fsync) && !is_null())
      flush_time = flush(run.get());
    add_figures(result_, outcome, flush_time);
    add_shortcomings(outcome);
    look_at_file(run.get());
  }

  void forbid_polling_where_impossible(Run& run) {
    if (!options_.io_poll) return;
    const auto& devices = result_.storage.devices;
    const bool device_polls = !devices.empty() && devices.front().polling.value_or(false);
    const bool flushes = options_.fsync_every != 0 || options_.fdatasync_every != 0;
    if (device_polls && !flushes && access_.cache_path == CachePath::direct) return;
    for (JobPlan& plan : run.plans) plan.io_poll = false;
    access_.notes.push_back(
        {"io-poll-unavailable", measure::Severity::info,
         "Completions were not polled for: that needs direct I/O, a disk whose driver polls, and no "
         "flushes between the writes."});
  }

  // Time until all that was written is durable, seen through the file the run used.
  std::optional<Seconds> flush(const Run& run) {
    const bool whole_file = options_.end_fsync;
    const int descriptor = run.file.get();
    const Clock::time_point begin = Clock::now();
    GuardedThread thread([file = file_, path = file_->path, whole_file, descriptor] {
      const OpenFile own(::dup(descriptor));
      const int failed = whole_file ? ::fsync(own.get()) : ::fdatasync(own.get());
      if (failed != 0)
        throw std::system_error(errno, std::generic_category(),
                                "making " + path.string() + " durable (fdatasync)");
    });
    if (!thread.finished_within(flush_limit()))
      throw std::system_error(Errc::disk_stuck, "fdatasync of " + file_->path.string() + " did not end");
    return Clock::now() - begin;
  }

  // A buffered writer may leave gigabytes to a slow disk.
  std::chrono::milliseconds flush_limit() const { return options_.stuck_after * 6; }

  void note_written(const RunOutcome& outcome, std::int64_t start, ByteCount block) {
    std::int64_t end = start;
    for (const JobResult& job : outcome.jobs) {
      const auto length = static_cast<std::int64_t>(job.leading_blocks_written) * block.bytes();
      end += length;
      if (start == 0 && outcome.jobs.size() > 1 && length < result_.region.bytes()) break;
    }
    if (end > file_->written.load()) file_->written.store(end);
  }

  void note_errors_of(const JobResult& job) {
    result_.error_count += job.error_count;
    result_.errors.insert(result_.errors.end(), job.errors.begin(), job.errors.end());
  }

  void add_shortcomings(const RunOutcome& outcome) {
    if (outcome.jobs.empty()) return;
    for (const std::string& text : outcome.jobs.front().shortcomings)
      access_.notes.push_back({"engine-limited", measure::Severity::info, "The engine ran " + text + "."});
  }

  // After the run: a file system that took O_DIRECT and yet kept the data in memory gives itself away.
  void look_at_file(const Run& run) {
    if (is_null()) return;
    result_.apparent_size = apparent_size(run.file.get());
    result_.allocated_size = allocated_size(run.file.get());
    if (access_.cache_path == CachePath::buffered) return;
    const auto share = resident_share(run.file.get(), static_cast<std::uint64_t>(whole().bytes()));
    if (share.value_or(0) < kMuchResident) return;
    access_.cache_path = CachePath::buffered;
    access_.notes.push_back(
        {"direct-pretended", measure::Severity::warning,
         "The file system took the file for direct I/O and went through memory all the same."});
  }

  DiskResult conclude() {
    result_.cache_path = access_.cache_path;
    result_.notes = access_.notes;
    const measure::Notes more = notes_of(result_, memory_of_machine());
    result_.notes.insert(result_.notes.end(), more.begin(), more.end());
    return std::move(result_);
  }

  const EngineFactory& make_engine_;
  std::shared_ptr<TestFile::State> file_;
  const DiskOptions options_;
  measure::ProgressObserver& progress_;
  const std::stop_token& stop_;
  DiskResult result_;
  Access access_;
};

}  // namespace

DiskResult measure_disk_with(const EngineFactory& make_engine, TestFile& file, const DiskOptions& options,
                             measure::ProgressObserver& progress, const std::stop_token& stop) {
  return Measurement(make_engine, file.state(), options, progress, stop).run();
}

}  // namespace nasdiag::diskbench
