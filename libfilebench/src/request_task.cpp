// Time per request against its size and against how many are in flight: tells a mount that waits for each
// answer from one that is short of bandwidth.

#include "content.hpp"
#include "page_cache.hpp"
#include "request_fit.hpp"
#include "worker_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>

namespace nasdiag::filebench {

namespace {

constexpr std::int64_t kWriteArea = std::int64_t{128} << 20U;

struct Target {
  Descriptor fd;
  ReadPath path = ReadPath::direct;
  std::int64_t area = 0;             // requests stay inside, and start over at its end
  std::unique_ptr<Content> content;  // of writes
  int error = 0;                     // of a failed open
};

// Reads and writes at offsets that no other request has, until the time is over.
class PointRun {
 public:
  PointRun(WorkerState& state, const Target& target, Direction direction, ByteCount size,
           std::size_t in_flight)
      : state_(state), target_(target), direction_(direction), size_(size), in_flight_(in_flight) {}

  RequestPoint run(Seconds time, std::optional<Failure>& failure) {
    const std::int64_t start = now_ns();
    end_ = start + std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    run_together(in_flight_, [this](std::size_t) { issue_requests(); });
    if (failure_) failure = failure_;
    const Seconds elapsed = std::chrono::nanoseconds(now_ns() - start);
    const auto seconds = [](const auto& value) { return value ? Seconds(*value) : Seconds(0); };
    return {.size = size_,
            .in_flight = in_flight_,
            .requests = latency_.count(),
            .mean_time = seconds(latency_.mean()),
            .median_time = seconds(latency_.quantile(0.5)),
            .p99_time = seconds(latency_.quantile(0.99)),
            .rate = (size_ * static_cast<std::int64_t>(latency_.count())) / elapsed};
  }

 private:
  std::int64_t next_offset() {
    const std::int64_t places = std::max<std::int64_t>(1, target_.area / size_.bytes());
    return next_.fetch_add(1) % places * size_.bytes();
  }

  ssize_t issue(std::span<std::byte> buffer) {
    const std::int64_t offset = next_offset();
    if (direction_ == Direction::read) return ::pread(target_.fd.get(), buffer.data(), buffer.size(), offset);
    const auto data = target_.content->repeating_at(offset, buffer.size());
    return ::pwrite(target_.fd.get(), data.data(), data.size(), offset);
  }

  void issue_requests() {
    AlignedBuffer buffer(static_cast<std::size_t>(size_.bytes()));
    measure::LatencyHistogram latency;
    std::optional<Failure> failure;
    for (std::int64_t now = now_ns(); now < end_ && !failure && !state_.progress.should_end();) {
      const ssize_t count = issue(buffer.span().first(static_cast<std::size_t>(size_.bytes())));
      const std::int64_t returned = now_ns();
      if (count < 0 && errno != EINTR)
        failure = Failure{.activity = direction_ == Direction::read ? Activity::read : Activity::write,
                          .error = errno};
      if (count > 0) {
        latency.add(std::chrono::nanoseconds(returned - now));
        state_.progress.moved(count);
      }
      now = returned;
    }
    const std::lock_guard lock(mutex_);
    latency_.merge(latency);
    if (!failure_) failure_ = failure;
  }

  WorkerState& state_;
  const Target& target_;
  Direction direction_;
  ByteCount size_;
  std::size_t in_flight_;
  std::int64_t end_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::mutex mutex_;
  measure::LatencyHistogram latency_;
  std::optional<Failure> failure_;
};

Descriptor open_direct_or(const std::filesystem::path& path, int flags, int instead, ReadPath& used) {
  used = ReadPath::direct;
  Descriptor fd(::open(path.c_str(), flags | O_DIRECT | O_CLOEXEC, 0600));
  if (fd.valid() || errno != EINVAL) return fd;
  used = ReadPath::buffered;
  return Descriptor(::open(path.c_str(), flags | instead | O_CLOEXEC, 0600));
}

Target open_target(WorkerState& state, Direction direction, const std::filesystem::path& path) {
  Target target;
  state.progress.enter(Activity::open);
  if (direction == Direction::read) {
    target.fd = open_direct_or(path, O_RDONLY, 0, target.path);
    target.error = target.fd.valid() ? 0 : errno;
    target.area = state.written.front().size.bytes();
  } else {
    target.fd = open_direct_or(path, O_WRONLY | O_CREAT, O_DSYNC, target.path);
    target.error = target.fd.valid() ? 0 : errno;
    target.content = std::make_unique<Content>(fresh_seed());
    target.area = std::min(
        kWriteArea, state.fit_to_space(state.mount->path(), ByteCount::bytes(kWriteArea)).size.bytes());
  }
  return target;
}

void measure_points(WorkerState& state, const SweepOptions& options, const Target& target,
                    SweepResult& result, std::optional<Failure>& failure) {
  state.progress.enter(options.direction == Direction::read ? Activity::read : Activity::write);
  const auto point = [&](ByteCount size, std::size_t in_flight) {
    if (target.path == ReadPath::buffered && options.direction == Direction::read) {
      drop_pages(target.fd.get());
      ::posix_fadvise(target.fd.get(), 0, 0, POSIX_FADV_RANDOM);
    }
    return PointRun(state, target, options.direction, size, in_flight).run(options.time_per_point, failure);
  };
  for (const ByteCount size : options.request_sizes) {
    if (failure || state.progress.should_end() || size.bytes() > target.area) continue;
    result.by_size.push_back(point(size, 1));
  }
  for (const std::size_t in_flight : options.in_flight) {
    if (failure || state.progress.should_end() || options.in_flight_size.bytes() > target.area) continue;
    result.by_in_flight.push_back(point(options.in_flight_size, in_flight));
  }
}

}  // namespace

SweepResult run_requests(WorkerState& state, const SweepOptions& options) {
  SweepResult result{.direction = options.direction};
  const bool reads = options.direction == Direction::read;
  if (reads && state.written.empty()) {
    conclude(result, Failure{.activity = Activity::open, .error = ENOENT}, state.progress);
    return result;
  }
  const std::filesystem::path path = reads ? state.written.front().path : state.new_path(state.mount->path());
  WindowScope window(state.progress);
  const Target target = open_target(state, options.direction, path);
  std::optional<Failure> failure;
  if (!target.fd.valid())
    failure = Failure{.activity = Activity::open, .error = target.error};
  else
    measure_points(state, options, target, result, failure);
  window.end();
  result.path = target.path;
  if (const auto fit = fit_requests(result.by_size)) {
    result.latency = fit->first;
    result.bandwidth = fit->second;
  }
  if (target.path == ReadPath::buffered)
    result.notes.push_back(
        {.code = "direct-refused",
         .severity = measure::Severity::info,
         .text = "The mount refuses O_DIRECT; requests went through the page cache one by one."});
  if (!reads) state.remove(path);
  state.progress.enter(Activity::idle);
  conclude(result, failure, state.progress);
  return result;
}

}  // namespace nasdiag::filebench
