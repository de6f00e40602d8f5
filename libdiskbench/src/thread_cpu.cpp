#include "thread_cpu.hpp"

#include <sys/resource.h>

namespace nasdiag::diskbench {

namespace {
measure::Seconds seconds(const timeval& time) {
  return measure::Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6);
}
}  // namespace

ThreadCpu thread_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

}  // namespace nasdiag::diskbench
