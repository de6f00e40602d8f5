#pragma once

// What the worker keeps between experiments.

#include "failure.hpp"
#include "messages.hpp"
#include "shared_progress.hpp"

#include <measure/scratch_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::filebench {

// A file whose bytes are those of Content(seed).
struct MadeFile {
  std::filesystem::path path;
  std::uint64_t seed = 0;
  ByteCount size;
};

struct WorkerState {
  explicit WorkerState(SharedProgress& shared) : progress(shared) {}

  SharedProgress& progress;
  OpenFolders folders;
  std::optional<measure::ScratchFolder> mount;
  std::optional<measure::ScratchFolder> local;
  std::vector<MadeFile> written;         // on the mount, by the last write
  std::optional<MadeFile> local_source;  // of copies to the mount
  ByteCount read_until;                  // of the first of them, where the last read ended
  std::optional<DataRate> durable_rate;  // of the last write
  std::optional<DataRate> hash_rate;     // ceiling of folders.hash
  int names_given = 0;

  // A path for a new file in a folder; never given twice.
  std::filesystem::path new_path(const std::filesystem::path& folder) {
    return folder / ("file" + std::to_string(names_given++));
  }
  void remove(const std::filesystem::path& path);
  // The size that fits into the free space of `folder` less its reserve, and a note if that is less than
  // asked.
  struct FittedSize {
    ByteCount size;
    measure::Notes notes;
  };
  FittedSize fit_to_space(const std::filesystem::path& folder, ByteCount wanted);
};

// Begins and ends the window that the parent samples.
class WindowScope {
 public:
  explicit WindowScope(SharedProgress& progress) : progress_(progress) { progress_.window_start = now_ns(); }
  ~WindowScope() { end(); }
  WindowScope(const WindowScope&) = delete;
  WindowScope& operator=(const WindowScope&) = delete;
  std::int64_t start() const { return progress_.window_start; }
  Seconds since_start(std::int64_t time) const { return std::chrono::nanoseconds(time - start()); }
  void end() {
    if (progress_.window_end == 0) progress_.window_end = now_ns();
  }

 private:
  SharedProgress& progress_;
};

// Runs fn(0) … fn(count - 1) at the same time, the first on this thread, and waits for all.
void run_together(std::size_t count, const std::function<void(std::size_t)>& fn);

// Outcome and sentence of an experiment that a failure, the user or nothing ended.
template <class Result>
void conclude(Result& result, const std::optional<Failure>& failure, const SharedProgress& progress,
              std::optional<ByteCount> moved = std::nullopt) {
  if (failure) {
    result.outcome = Outcome::failed;
    result.failure = failure_sentence(*failure, moved);
    result.error_number = failure->error;
  } else if (progress.stop) {
    result.outcome = Outcome::stopped;
    result.failure = "Stopped by the user.";
  } else {
    result.outcome = Outcome::ok;
  }
}

TransferResult run_write(WorkerState& state, const WriteOptions& options);
TransferResult run_read(WorkerState& state, const ReadOptions& options);
TransferResult run_copy_to(WorkerState& state, const CopyOptions& options);
TransferResult run_copy_from(WorkerState& state, const CopyOptions& options);
SweepResult run_requests(WorkerState& state, const SweepOptions& options);
SmallFilesResult run_small_files(WorkerState& state, const SmallFilesOptions& options);
ListingResult run_listing(WorkerState& state, const ListingOptions& options);
CommitResult run_commits(WorkerState& state, const CommitOptions& options);

}  // namespace nasdiag::filebench
