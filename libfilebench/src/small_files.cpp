#include "small_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <system_error>

namespace nasdiag::filebench {

OperationFigures run_phase(WorkerState& state, std::vector<FileSet>& sets, const Phase& phase,
                           std::optional<Failure>& failure) {
  OperationFigures figures{.operation = phase.operation};
  if (failure || state.progress.should_end()) return figures;
  state.progress.enter(phase.activity);
  std::mutex mutex;
  const std::int64_t start = now_ns();
  const std::int64_t end =
      start + std::chrono::duration_cast<std::chrono::nanoseconds>(phase.time_limit).count();
  run_together(sets.size(), [&](std::size_t thread) {
    FileSet& set = sets[thread];
    measure::LatencyHistogram latency;
    int error = 0;
    std::int64_t now = now_ns();
    for (std::size_t i = 0; phase.goes_on(set, i) && now < end && !state.progress.should_end(); ++i) {
      error = phase.perform(set, i);
      if (error != 0) break;
      const std::int64_t returned = now_ns();
      latency.add(std::chrono::nanoseconds(returned - now));
      now = returned;
      state.progress.did();
      if (phase.operation == FileOperation::create) set.made = i + 1;
    }
    const std::lock_guard lock(mutex);
    figures.latency.merge(latency);
    if (error != 0 && !failure) failure = Failure{.activity = phase.activity, .error = error};
  });
  figures.window = std::chrono::nanoseconds(now_ns() - start);
  figures.count = figures.latency.count();
  if (figures.window.count() > 0)
    figures.rate = measure::OpRate::per_second(static_cast<double>(figures.count) / figures.window.count());
  state.progress.enter(Activity::idle);
  return figures;
}

int create_file(const std::filesystem::path& path, std::span<const std::byte> content, bool fsync) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno;
  while (!content.empty()) {
    const ssize_t count = ::write(fd.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    content = content.subspan(static_cast<std::size_t>(count));
  }
  if (fsync && ::fsync(fd.get()) != 0) return errno;
  return ::close(fd.release()) == 0 ? 0 : errno;
}

int read_whole_file(const std::filesystem::path& path, std::span<std::byte> buffer) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno;
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count < std::ssize(buffer)) return 0;
  }
}

std::vector<FileSet> make_sets(WorkerState& state, std::size_t count, std::optional<Failure>& failure) {
  std::vector<FileSet> sets;
  state.progress.enter(Activity::make_folder);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, count); ++i) {
    FileSet set{.folder = state.new_path(state.mount->path())};
    if (::mkdir(set.folder.c_str(), 0700) != 0) {
      failure = Failure{.activity = Activity::make_folder, .error = errno};
      break;
    }
    sets.push_back(std::move(set));
  }
  state.progress.enter(Activity::idle);
  return sets;
}

void remove_sets(WorkerState& state, const std::vector<FileSet>& sets) {
  for (const FileSet& set : sets) {
    state.progress.enter(Activity::remove);
    for (std::size_t i = 0; i < set.made; ++i) {
      ::unlink(set.path(i).c_str());
      state.progress.did(0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(set.folder, ignored);
  }
  state.progress.enter(Activity::idle);
}

}  // namespace nasdiag::filebench
