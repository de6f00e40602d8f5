#pragma once

#include <netbench/result.hpp>

#include <sys/resource.h>

#include <chrono>

namespace nasdiag::netbench {

// CPU that this process has used since the meter was made or restarted, in percent of one core.
class CpuMeter {
 public:
  CpuMeter() { restart(); }
  void restart() {
    start_ = std::chrono::steady_clock::now();
    ::getrusage(RUSAGE_SELF, &before_);
  }
  CpuUse read() const {
    rusage now{};
    ::getrusage(RUSAGE_SELF, &now);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (elapsed <= 0) return {};
    const double user = 100 * (seconds(now.ru_utime) - seconds(before_.ru_utime)) / elapsed;
    const double system = 100 * (seconds(now.ru_stime) - seconds(before_.ru_stime)) / elapsed;
    return {.total = user + system, .user = user, .system = system};
  }

 private:
  static double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  }
  std::chrono::steady_clock::time_point start_;
  rusage before_{};
};

}  // namespace nasdiag::netbench
