#pragma once

// io_uring: one ring, one thread; file and buffers registered where the kernel and the limits allow it.

#include "io_engine.hpp"
#include "ring.hpp"

namespace nasdiag::diskbench {

class UringEngine final : public IoEngine {
 public:
  // Throws std::system_error: ENOSYS or EPERM where io_uring is missing or forbidden.
  explicit UringEngine(const EngineSetup& setup);

  std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                       std::chrono::nanoseconds longest_wait) override;
  std::vector<std::string> shortcomings() const override { return shortcomings_; }
  Engine kind() const override { return Engine::io_uring; }

 private:
  void prepare(const Request& request);
  std::size_t reap(std::span<Completion> done);
  void submit();
  void submit_and_wait(std::chrono::nanoseconds longest_wait);

  EngineSetup setup_;
  Ring ring_;
  bool file_registered_ = false;
  bool buffers_registered_ = false;
  unsigned in_flight_ = 0;
  std::vector<std::string> shortcomings_;
};

// Whether a ring can be made and used at all. Returns 0 or an errno.
int probe_io_uring();

}  // namespace nasdiag::diskbench
