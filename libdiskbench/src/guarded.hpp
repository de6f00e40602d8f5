#pragma once

// Calls that may never return because a disk or a server hangs are made on threads nobody has to wait for.

#include <diskbench/error.hpp>
#include <measure/quantity_text.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

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

// Calls `work` where a hanging disk can't hang the caller. What it captures must own itself. Throws what it
// throws, and std::system_error (Errc::disk_stuck) when it doesn't end.
template <class Work>
auto within(std::chrono::milliseconds limit, const std::string& what, Work work) -> decltype(work()) {
  using Value = decltype(work());
  auto value = std::make_shared<std::optional<Value>>();
  GuardedThread thread([value, work = std::move(work)] { value->emplace(work()); });
  if (!thread.finished_within(limit))
    throw std::system_error(Errc::disk_stuck,
                            what + " did not end within " + measure::duration_text(measure::Seconds(limit)));
  return std::move(**value);
}

}  // namespace nasdiag::diskbench
