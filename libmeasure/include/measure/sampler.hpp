#pragma once

// Calls a function at a fixed interval from one thread of its own, until destroyed. For turning counters
// that workers bump into series and progress.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace nasdiag::measure {

class Sampler {
 public:
  // tick must not throw. It is called on a grid of `interval` from now on; a tick that comes late doesn't
  // move the ones after it. The first call comes one interval from now.
  Sampler(std::chrono::nanoseconds interval, std::function<void()> tick);
  // Waits for a running tick to return; none follows.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

 private:
  void loop(const std::stop_token& stop);

  std::chrono::nanoseconds interval_;
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace nasdiag::measure
