#pragma once

// Experiments with files over a mount. A session owns one worker process and, through it, one scratch folder
// on the mount and one in the local folder; experiments build on each other: read what was written, copy what
// is there.
//
// No experiment throws for what the mount does: an error, a full disk, a hung mount or a stop is the outcome
// in the result, beside the figures so far. After a hang every further experiment is skipped at once.

#include <filebench/options.hpp>
#include <filebench/result.hpp>
#include <measure/progress.hpp>

#include <memory>
#include <stop_token>

namespace nasdiag::filebench {

class FileSession {
 public:
  // Starts the worker, which removes what killed runs left in the folders and makes the scratch folders.
  // Throws std::system_error: no such folder, no permission, read-only, a mount that doesn't answer.
  // The stop token ends the wait for a silent mount (errc operation_canceled).
  explicit FileSession(SessionOptions options, std::stop_token stop = {});
  // Has the worker remove everything and waits a few seconds for it, or not at all after a hang. A worker
  // stuck on a dead mount is left behind; it cleans up and ends by itself should the mount answer again.
  ~FileSession();
  FileSession(const FileSession&) = delete;
  FileSession& operator=(const FileSession&) = delete;

  // Each blocks until done, stopped (within a second) or hung. From one thread at a time. Progress comes from
  // the calling thread.

  // Fresh incompressible data; replaces what an earlier call wrote.
  TransferResult measure_write(const WriteOptions& options, measure::ProgressObserver& progress,
                               const std::stop_token& stop);
  // What measure_write wrote (writes a file first if there is none), or a file of the user's.
  TransferResult measure_read(const ReadOptions& options, measure::ProgressObserver& progress,
                              const std::stop_token& stop);
  // Local folder to mount: the source is made first, outside the window, and its pages are dropped.
  TransferResult measure_copy_to(const CopyOptions& options, measure::ProgressObserver& progress,
                                 const std::stop_token& stop);
  // Mount to local folder: the source is what measure_write wrote (made if there is none), its pages dropped.
  TransferResult measure_copy_from(const CopyOptions& options, measure::ProgressObserver& progress,
                                   const std::stop_token& stop);

  SweepResult measure_requests(const SweepOptions& options, measure::ProgressObserver& progress,
                               const std::stop_token& stop);
  SmallFilesResult measure_small_files(const SmallFilesOptions& options, measure::ProgressObserver& progress,
                                       const std::stop_token& stop);
  ListingResult measure_listing(const ListingOptions& options, measure::ProgressObserver& progress,
                                const std::stop_token& stop);
  CommitResult measure_commits(const CommitOptions& options, measure::ProgressObserver& progress,
                               const std::stop_token& stop);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// How fast one core of this machine hashes data in memory. Takes about 0.2 s.
DataRate hash_ceiling(HashKind kind);

}  // namespace nasdiag::filebench
