// Many small files: create, stat, list, read, delete per second, each with its percentiles.

#include "content.hpp"
#include "page_cache.hpp"
#include "small_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace nasdiag::filebench {

namespace {

using Sets = std::vector<FileSet>;

bool already_made(const FileSet& set, std::size_t index) { return index < set.made; }

int stat_file(const FileSet& set, std::size_t index) {
  struct stat status {};
  return ::stat(set.path(index).c_str(), &status) == 0 ? 0 : errno;
}

int list_folder(const FileSet& set, std::size_t) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(set.folder.c_str()), ::closedir);
  if (!folder) return errno;
  errno = 0;
  while (::readdir(folder.get()) != nullptr) {
  }
  return errno;
}

int remove_file(const FileSet& set, std::size_t index) {
  return ::unlink(set.path(index).c_str()) == 0 ? 0 : errno;
}

OperationFigures create_files(WorkerState& state, const SmallFilesOptions& options, Sets& sets,
                              std::optional<Failure>& failure) {
  const auto size = static_cast<std::size_t>(options.file_size.bytes());
  AlignedBuffer content(std::max<std::size_t>(1, size));
  Content source(fresh_seed());
  for (std::size_t at = 0; at < size;) {
    const auto piece = source.at(static_cast<std::int64_t>(at), size - at);
    std::copy(piece.begin(), piece.end(), content.data() + at);
    at += piece.size();
  }
  const std::size_t each = options.files / sets.size();
  return run_phase(state, sets,
                   {.operation = FileOperation::create,
                    .activity = Activity::write,
                    .time_limit = options.time_per_phase,
                    .goes_on = [each](const FileSet&, std::size_t i) { return i < each; },
                    .perform =
                        [&](const FileSet& set, std::size_t i) {
                          return create_file(set.path(i), {content.data(), size}, options.fsync);
                        }},
                   failure);
}

// Outside any window: what was just written mustn't be read back from this machine's memory.
void drop_all(WorkerState& state, Sets& sets, Seconds time_limit) {
  state.progress.enter(Activity::drop_pages);
  const std::int64_t end =
      now_ns() + std::chrono::duration_cast<std::chrono::nanoseconds>(time_limit).count();
  run_together(sets.size(), [&](std::size_t thread) {
    FileSet& set = sets[thread];
    for (std::size_t i = 0; i < set.made && now_ns() < end && !state.progress.should_end(); ++i) {
      const Descriptor fd(::open(set.path(i).c_str(), O_RDONLY | O_CLOEXEC));
      if (fd.valid()) drop_pages(fd.get());
      state.progress.did(0);
    }
  });
  state.progress.enter(Activity::idle);
}

OperationFigures read_files(WorkerState& state, const SmallFilesOptions& options, Sets& sets,
                            std::optional<Failure>& failure) {
  const auto size = static_cast<std::size_t>(options.file_size.bytes()) + 1;
  return run_phase(state, sets,
                   {.operation = FileOperation::read,
                    .activity = Activity::read,
                    .time_limit = options.time_per_phase,
                    .goes_on = already_made,
                    .perform =
                        [size](const FileSet& set, std::size_t i) {
                          std::vector<std::byte> buffer(size);
                          return read_whole_file(set.path(i), buffer);
                        }},
                   failure);
}

}  // namespace

SmallFilesResult run_small_files(WorkerState& state, const SmallFilesOptions& options) {
  SmallFilesResult result{.file_size = options.file_size,
                          .threads = std::max<std::size_t>(1, options.threads),
                          .fsync = options.fsync};
  std::optional<Failure> failure;
  Sets sets = make_sets(state, options.threads, failure);
  const auto simple = [&](FileOperation operation, Activity activity, auto goes_on, auto perform) {
    return run_phase(state, sets,
                     {.operation = operation,
                      .activity = activity,
                      .time_limit = options.time_per_phase,
                      .goes_on = goes_on,
                      .perform = perform},
                     failure);
  };
  if (!failure) {
    WindowScope window(state.progress);
    result.operations.push_back(create_files(state, options, sets, failure));
    drop_all(state, sets, options.time_per_phase);
    result.operations.push_back(simple(FileOperation::stat, Activity::stat, already_made, stat_file));
    result.operations.push_back(simple(
        FileOperation::list, Activity::list, [](const FileSet&, std::size_t i) { return i < 1; },
        list_folder));
    result.operations.push_back(read_files(state, options, sets, failure));
    result.operations.push_back(simple(FileOperation::remove, Activity::remove, already_made, remove_file));
  }
  for (const FileSet& set : sets) result.files += set.made;
  remove_sets(state, sets);
  conclude(result, failure, state.progress);
  result.notes.push_back(
      {.code = "attributes-warm",
       .severity = measure::Severity::info,
       .text = "stat asked for files made a moment ago: this machine may have answered from its own "
               "cache of attributes."});
  return result;
}

}  // namespace nasdiag::filebench
