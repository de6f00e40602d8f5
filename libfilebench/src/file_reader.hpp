#pragma once

#include "descriptor.hpp"
#include "failure.hpp"
#include "hash.hpp"
#include "shared_progress.hpp"

#include <filebench/options.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace nasdiag::filebench {

struct ReadPlan {
  std::size_t piece_size = 0;
  std::int64_t start = 0;  // in the file
  std::int64_t size = 0;   // at most
  ReadPath path = ReadPath::buffered;
  std::optional<HashKind> hash;
  bool hash_apart = true;  // on a thread of its own, overlapped with reading
  std::function<bool()> should_end;
};

struct ReadFigures {
  std::int64_t amount = 0;
  std::string digest;
  std::chrono::nanoseconds waited_for_hash{0};
  ReadPath path = ReadPath::buffered;  // what was really used
  std::int64_t finished_at = 0;        // ns
  std::optional<Failure> failure;
};

// Reads one file or a part of it, in pieces, once.
ReadFigures read_file(const std::filesystem::path& file, const ReadPlan& plan, SharedProgress& progress);

// An existing file, read piece after piece.
class FileReader {
 public:
  FileReader(SharedProgress& progress, Side side) : progress_(progress), side_(side) {}
  // Direct falls back to buffered where the mount refuses it. `start`: where to begin.
  void open(const std::filesystem::path& path, ReadPath how, std::int64_t start = 0);
  // Bytes read: 0 at the end of the file or after a failure.
  std::size_t read(std::span<std::byte> into);
  int descriptor() const { return fd_.get(); }
  ReadPath path() const { return path_; }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  SharedProgress& progress_;
  Side side_;
  Descriptor fd_;
  ReadPath path_ = ReadPath::buffered;
  std::optional<Failure> failure_;
};

}  // namespace nasdiag::filebench
