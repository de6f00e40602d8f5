#pragma once

// Clocks other than the steady one.

#include <measure/quantity.hpp>

#include <time.h>

namespace nasdiag::observe {

inline measure::Seconds clock_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return measure::Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9);
}

// Processor time that this thread used so far.
inline measure::Seconds thread_time() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace nasdiag::observe
