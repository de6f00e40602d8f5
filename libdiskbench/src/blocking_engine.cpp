#include "blocking_engine.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace nasdiag::diskbench {

BlockingEngine::BlockingEngine(const EngineSetup& setup) : setup_(setup) {
  if (setup_.io_depth == 1) return;
  done_.reserve(setup_.io_depth);
  threads_.reserve(setup_.io_depth);
  for (unsigned i = 0; i < setup_.io_depth; ++i) threads_.emplace_back([this] { work(); });
}

BlockingEngine::~BlockingEngine() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  asked_.notify_all();
}

Completion BlockingEngine::perform(const Request& request) const {
  const iovec block{setup_.buffers.data() + request.slot * setup_.block_size, setup_.block_size};
  const auto offset = static_cast<off_t>(request.offset);
  ssize_t result = 0;
  do {
    switch (request.operation) {
      case Operation::read:
        result = ::preadv2(setup_.file, &block, 1, offset, 0);
        break;
      case Operation::write:
        result = ::pwritev2(setup_.file, &block, 1, offset, 0);
        break;
      case Operation::fsync:
        result = ::fsync(setup_.file);
        break;
      case Operation::fdatasync:
        result = ::fdatasync(setup_.file);
        break;
    }
  } while (result < 0 && errno == EINTR);
  return {request.slot, static_cast<std::int32_t>(result < 0 ? -errno : result)};
}

void BlockingEngine::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const Request request = queue_.front();
    queue_.pop_front();
    lock.unlock();
    const Completion completion = perform(request);
    lock.lock();
    done_.push_back(completion);
    answered_.notify_one();
  }
}

std::size_t BlockingEngine::exchange(std::span<const Request> requests, std::span<Completion> done,
                                     std::chrono::nanoseconds longest_wait) {
  if (threads_.empty()) {
    std::size_t count = 0;
    for (const Request& request : requests) done[count++] = perform(request);
    return count;
  }
  if (!requests.empty()) {
    const std::lock_guard lock(mutex_);
    queue_.insert(queue_.end(), requests.begin(), requests.end());
  }
  for (std::size_t i = 0; i < requests.size(); ++i) asked_.notify_one();
  in_flight_ += static_cast<unsigned>(requests.size());
  return in_flight_ == 0 ? 0 : collect(done, longest_wait);
}

std::size_t BlockingEngine::collect(std::span<Completion> done, std::chrono::nanoseconds longest_wait) {
  std::unique_lock lock(mutex_);
  const auto something = [this] { return !done_.empty(); };
  if (longest_wait.count() == 0)
    answered_.wait(lock, something);
  else
    answered_.wait_for(lock, longest_wait, something);
  const std::size_t count = std::min(done.size(), done_.size());
  std::copy_n(done_.begin(), count, done.begin());
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(count));
  in_flight_ -= static_cast<unsigned>(count);
  return count;
}

}  // namespace nasdiag::diskbench
