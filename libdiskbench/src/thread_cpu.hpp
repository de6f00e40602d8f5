#pragma once

#include <measure/quantity.hpp>

namespace nasdiag::diskbench {

// Processor time the calling thread has used so far.
struct ThreadCpu {
  measure::Seconds user{0};
  measure::Seconds system{0};
};
ThreadCpu thread_cpu();

}  // namespace nasdiag::diskbench
