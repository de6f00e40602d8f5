#pragma once

// Shared by the experiments with many files: one operation after another, timed each.

#include "failure.hpp"
#include "worker_state.hpp"

#include <functional>
#include <optional>
#include <string>

namespace nasdiag::filebench {

// A thread's files: folder/0, folder/1 … `made` of them.
struct FileSet {
  std::filesystem::path folder;
  std::size_t made = 0;

  std::filesystem::path path(std::size_t index) const { return folder / std::to_string(index); }
};

// Repeats operation(set, index) on each thread's set at once until it returns false, the time is over or the
// user stops. errno of a failed operation (which returns -1) ends it all.
struct Phase {
  FileOperation operation;
  Activity activity;
  Seconds time_limit;
  std::function<bool(const FileSet&, std::size_t)> goes_on;
  std::function<int(const FileSet&, std::size_t)> perform;  // 0, or an errno
};

OperationFigures run_phase(WorkerState& state, std::vector<FileSet>& sets, const Phase& phase,
                           std::optional<Failure>& failure);

// 0, or an errno.
int create_file(const std::filesystem::path& path, std::span<const std::byte> content, bool fsync);
int read_whole_file(const std::filesystem::path& path, std::span<std::byte> buffer);

// Makes count folders below the scratch folder; and removes them with all that is in them.
std::vector<FileSet> make_sets(WorkerState& state, std::size_t count, std::optional<Failure>& failure);
void remove_sets(WorkerState& state, const std::vector<FileSet>& sets);

}  // namespace nasdiag::filebench
