#pragma once

#include "descriptor.hpp"
#include "failure.hpp"
#include "shared_progress.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace nasdiag::filebench {

// When the page cache's content goes out: as the kernel likes, or from the first megabytes on, which shows
// early how fast it drains.
enum class Writeback { kernel, early };

// Writes one new file from its first byte to its last, and times it. Remembers the first failure; after one,
// nothing more is written.
class FileWriter {
 public:
  FileWriter(SharedProgress& progress, Side side, Writeback writeback)
      : progress_(progress), side_(side), writeback_(writeback) {}

  void open(const std::filesystem::path& path);  // must not exist
  void write(std::span<const std::byte> data);
  // Flushes and closes; a stopped writer throws its data away instead of waiting for the flush.
  void finish();

  bool failed() const { return failure_.has_value(); }
  const std::optional<Failure>& failure() const { return failure_; }
  std::int64_t accepted() const { return accepted_; }        // bytes
  std::int64_t accepted_at() const { return accepted_at_; }  // ns: the last write() returned
  std::int64_t finished_at() const { return finished_at_; }  // ns: fsync() and close() returned

 private:
  void fail(Activity activity, int error);
  void push_out();

  SharedProgress& progress_;
  Side side_;
  Writeback writeback_;
  Descriptor fd_;
  std::optional<Failure> failure_;
  std::int64_t accepted_ = 0;
  std::int64_t pushed_ = 0;
  std::int64_t accepted_at_ = 0;
  std::int64_t finished_at_ = 0;
};

}  // namespace nasdiag::filebench
