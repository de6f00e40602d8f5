#pragma once

// preadv2 and pwritev2: for kernels and containers that forbid io_uring, and as a cross-check of it. At depth
// 1 the calling thread does the I/O itself, else one thread per slot does.

#include "io_engine.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace nasdiag::diskbench {

class BlockingEngine final : public IoEngine {
 public:
  explicit BlockingEngine(const EngineSetup& setup);
  // Waits for what is in flight.
  ~BlockingEngine() override;

  std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                       std::chrono::nanoseconds longest_wait) override;
  Engine kind() const override { return Engine::blocking; }

 private:
  Completion perform(const Request& request) const;
  void work();
  std::size_t collect(std::span<Completion> done, std::chrono::nanoseconds longest_wait);

  EngineSetup setup_;
  unsigned in_flight_ = 0;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable answered_;
  std::deque<Request> queue_;
  std::vector<Completion> done_;
  bool closing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace nasdiag::diskbench
