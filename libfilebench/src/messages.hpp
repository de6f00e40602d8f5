#pragma once

// What parent and worker say to each other. A message is a Command followed by its packed value; the answer
// is the packed result alone.

#include "pack.hpp"

#include <filebench/options.hpp>
#include <filebench/result.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace nasdiag::filebench {

enum class Command : std::int32_t {
  resolve,       // Resolve -> Resolved
  open_folders,  // OpenFolders -> Opened
  write,         // WriteOptions -> TransferResult, likewise the rest
  read,
  copy_to,
  copy_from,
  requests,
  small_files,
  listing,
  commits,
  finish  // no answer: the worker removes its folders and ends
};

struct Resolve {
  std::filesystem::path path;
};

// error: errno of what failed, 0 if nothing; then the rest is valid.
struct Resolved {
  int error = 0;
  std::filesystem::path canonical;
  int mount_id = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  bool directory = false;
};

struct OpenFolders {
  std::filesystem::path mount_folder;
  std::filesystem::path local_folder;
  HashKind hash = HashKind::xxh3;
  bool drop_all_caches = false;
};

struct Opened {
  int error = 0;
  std::string context;  // of the error
  Resolved resolved;    // of the mount folder
  std::size_t leftovers_removed = 0;
  std::filesystem::path local_scratch;  // empty: no local folder
  bool one_file_system = false;         // holds both folders
};

template <class Archive>
void visit(Archive& archive, Resolve& value) {
  archive(value.path);
}
template <class Archive>
void visit(Archive& archive, Resolved& value) {
  archive(value.error, value.canonical, value.mount_id, value.device_major, value.device_minor,
          value.directory);
}
template <class Archive>
void visit(Archive& archive, OpenFolders& value) {
  archive(value.mount_folder, value.local_folder, value.hash, value.drop_all_caches);
}
template <class Archive>
void visit(Archive& archive, Opened& value) {
  archive(value.error, value.context, value.resolved, value.leftovers_removed, value.local_scratch,
          value.one_file_system);
}
template <class Archive>
void visit(Archive& archive, ReadOptions& value) {
  archive(value.size, value.time_limit, value.piece_size, value.files, value.repeats, value.cache, value.path,
          value.hash, value.stop_rule, value.again, value.user_file);
}
template <class Archive>
void visit(Archive& archive, SweepOptions& value) {
  archive(value.direction, value.request_sizes, value.in_flight, value.in_flight_size, value.time_per_point);
}
template <class Archive>
void visit(Archive& archive, measure::Note& value) {
  archive(value.code, value.severity, value.text);
}
template <class Archive>
void visit(Archive& archive, HashResult& value) {
  archive(value.kind, value.verdict, value.digest, value.ceiling, value.limits_read);
}
// Samples, runs and counters are the parent's to add.
template <class Archive>
void visit(Archive& archive, TransferResult& value) {
  archive(value.kind, value.direction, value.outcome, value.failure, value.error_number, value.amount,
          value.window, value.rate, value.accepted_after, value.flush_time, value.accepted_rate,
          value.piece_size, value.files, value.copy_mode, value.read_path, value.cache, value.cache_check,
          value.hash, value.notes);
}
template <class Archive>
void visit(Archive& archive, SweepResult& value) {
  archive(value.direction, value.outcome, value.failure, value.error_number, value.path, value.by_size,
          value.by_in_flight, value.latency, value.bandwidth, value.notes);
}
template <class Archive>
void visit(Archive& archive, SmallFilesResult& value) {
  archive(value.outcome, value.failure, value.error_number, value.files, value.file_size, value.threads,
          value.fsync, value.operations, value.notes);
}
template <class Archive>
void visit(Archive& archive, ListingResult& value) {
  archive(value.outcome, value.failure, value.error_number, value.entries, value.names_time,
          value.attributes_time, value.notes);
}
template <class Archive>
void visit(Archive& archive, CommitResult& value) {
  archive(value.outcome, value.failure, value.error_number, value.commits, value.notes);
}

}  // namespace nasdiag::filebench
