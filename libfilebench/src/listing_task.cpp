// One large folder: its names, then the attributes of each entry.

#include "small_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

namespace nasdiag::filebench {

namespace {

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

// Errno, and the names.
int read_names(WorkerState& state, const std::filesystem::path& path, std::vector<std::string>& names) {
  state.progress.enter(Activity::list);
  const Folder folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return errno;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    state.progress.did(0);
  }
  return errno;
}

int read_attributes(WorkerState& state, const std::filesystem::path& path,
                    const std::vector<std::string>& names) {
  state.progress.enter(Activity::stat);
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return errno;
  for (const std::string& name : names) {
    struct stat status {};
    if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    state.progress.did();
    if (state.progress.should_end()) return 0;
  }
  return 0;
}

}  // namespace

ListingResult run_listing(WorkerState& state, const ListingOptions& options) {
  ListingResult result;
  std::optional<Failure> failure;
  std::vector<FileSet> sets = make_sets(state, 1, failure);
  run_phase(
      state, sets,
      {.operation = FileOperation::create,
       .activity = Activity::write,
       .time_limit = options.time_limit * 0.7,
       .goes_on = [&](const FileSet&, std::size_t i) { return i < options.entries; },
       .perform = [](const FileSet& set, std::size_t i) { return create_file(set.path(i), {}, false); }},
      failure);
  if (!failure && !state.progress.stop) {
    std::vector<std::string> names;
    const std::int64_t start = now_ns();
    if (const int error = read_names(state, sets.front().folder, names); error != 0)
      failure = Failure{.activity = Activity::list, .error = error};
    const std::int64_t listed = now_ns();
    if (const int error = failure ? 0 : read_attributes(state, sets.front().folder, names); error != 0)
      failure = Failure{.activity = Activity::stat, .error = error};
    result.entries = names.size();
    result.names_time = std::chrono::nanoseconds(listed - start);
    result.attributes_time = std::chrono::nanoseconds(now_ns() - listed);
  }
  remove_sets(state, sets);
  conclude(result, failure, state.progress);
  return result;
}

}  // namespace nasdiag::filebench
