#include "guarded.hpp"

#include <thread>
#include <utility>

namespace nasdiag::diskbench {

GuardedThread::GuardedThread(std::function<void()> work) {
  std::thread([state = state_, work = std::move(work)]() mutable {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    work = nullptr;  // what it held goes before anybody is told
    const std::lock_guard lock(state->mutex);
    state->finished = true;
    state->failure = failure;
    state->changed.notify_all();
  }).detach();
}

bool GuardedThread::finished_within(std::chrono::nanoseconds time) {
  std::unique_lock lock(state_->mutex);
  if (!state_->changed.wait_for(lock, time, [this] { return state_->finished; })) return false;
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
  return true;
}

}  // namespace nasdiag::diskbench
