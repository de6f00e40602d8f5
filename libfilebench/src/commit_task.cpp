// Commit latency: a small write and the fsync that makes it durable, again and again.

#include "content.hpp"
#include "worker_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace nasdiag::filebench {

namespace {

int commit_once(int fd, Content& content, std::int64_t offset, std::size_t size) {
  const auto data = content.at(offset, size);
  if (::pwrite(fd, data.data(), data.size(), offset) < 0) return errno;
  return ::fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

CommitResult run_commits(WorkerState& state, const CommitOptions& options) {
  CommitResult result;
  result.commits.operation = FileOperation::commit;
  const std::filesystem::path path = state.new_path(state.mount->path());
  std::optional<Failure> failure;
  Content content(fresh_seed());
  state.progress.enter(Activity::open);
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) failure = Failure{.activity = Activity::open, .error = errno};
  state.progress.enter(Activity::flush);
  WindowScope window(state.progress);
  const std::int64_t start = now_ns();
  std::int64_t now = start;
  for (std::size_t i = 0; i < options.commits && !failure && !state.progress.should_end(); ++i) {
    if (Seconds(std::chrono::nanoseconds(now - start)) >= options.time_limit) break;
    const std::int64_t offset = static_cast<std::int64_t>(i) * options.size.bytes();
    if (const int error =
            commit_once(fd.get(), content, offset, static_cast<std::size_t>(options.size.bytes())))
      failure = Failure{.activity = Activity::flush, .error = error};
    const std::int64_t returned = now_ns();
    if (!failure) result.commits.latency.add(std::chrono::nanoseconds(returned - now));
    state.progress.did();
    now = returned;
  }
  window.end();
  result.commits.count = result.commits.latency.count();
  result.commits.window = std::chrono::nanoseconds(now - start);
  if (result.commits.window.count() > 0)
    result.commits.rate = measure::OpRate::per_second(static_cast<double>(result.commits.count) /
                                                      result.commits.window.count());
  fd.reset();
  state.remove(path);
  conclude(result, failure, state.progress);
  return result;
}

}  // namespace nasdiag::filebench
