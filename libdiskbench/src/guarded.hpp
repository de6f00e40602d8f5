#pragma once

// Calls that may never return because a disk or a server hangs are made on threads nobody has to wait for.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

namespace nasdiag::diskbench {

// Runs `work` on a thread of its own, which keeps running, alone, if it misses the deadline: `work` must own
// (by shared_ptr) all it uses.
class GuardedThread {
 public:
  explicit GuardedThread(std::function<void()> work);

  // True once the work has ended; throws what it threw, once.
  bool finished_within(std::chrono::nanoseconds time);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool finished = false;
    std::exception_ptr failure;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace nasdiag::diskbench
