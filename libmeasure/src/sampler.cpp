#include <measure/sampler.hpp>

namespace nasdiag::measure {

Sampler::Sampler(std::chrono::nanoseconds interval, std::function<void()> tick)
    : interval_(interval),
      tick_(std::move(tick)),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

Sampler::~Sampler() {
  thread_.request_stop();
  thread_.join();
}

void Sampler::loop(const std::stop_token& stop) {
  auto next = std::chrono::steady_clock::now() + interval_;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait_until(lock, stop, next, [] { return false; });
    if (stop.stop_requested()) return;
    tick_();
    const auto now = std::chrono::steady_clock::now();
    while (next <= now) next += interval_;
  }
}

}  // namespace nasdiag::measure
