#pragma once

// Memory that the worker writes and the parent reads while an experiment runs, so that what was moved is
// known even if the worker never answers again.

#include "descriptor.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace nasdiag::filebench {

// The system call (on the mount) that the worker is in.
enum class Activity : std::int32_t {
  idle,
  open,
  write,
  read,
  flush,
  close,
  remove,
  make_folder,
  stat,
  list,
  drop_pages
};

std::string_view to_string(Activity activity);

struct SharedProgress {
  std::atomic<std::int64_t> moved_bytes{0};   // in the window
  std::atomic<std::int64_t> done_items{0};    // files, requests: for experiments that count those
  std::atomic<std::int64_t> heartbeat{0};     // grows whenever a call on the mount has returned
  std::atomic<std::int64_t> window_start{0};  // steady clock, ns; 0: not begun
  std::atomic<std::int64_t> window_end{0};    // 0: not ended
  std::atomic<Activity> activity{Activity::idle};
  std::atomic<bool> stop{false};    // the user wants an end, whatever the figures
  std::atomic<bool> enough{false};  // the figure is known: end in good order

  bool should_end() const {
    return stop.load(std::memory_order_relaxed) || enough.load(std::memory_order_relaxed);
  }
  void moved(std::int64_t bytes) {
    moved_bytes.fetch_add(bytes, std::memory_order_relaxed);
    heartbeat.fetch_add(1, std::memory_order_relaxed);
  }
  void did(std::int64_t items = 1) {
    done_items.fetch_add(items, std::memory_order_relaxed);
    heartbeat.fetch_add(1, std::memory_order_relaxed);
  }
  void enter(Activity what) {
    activity.store(what, std::memory_order_relaxed);
    heartbeat.fetch_add(1, std::memory_order_relaxed);
  }
  // For the next experiment. The wish to stop stays.
  void reset();
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// A mapping of the shared memory behind a descriptor.
class SharedMapping {
 public:
  static SharedMapping create();          // throws std::system_error
  explicit SharedMapping(Descriptor fd);  // likewise
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&&) = delete;

  int descriptor() const { return fd_.get(); }
  SharedProgress& operator*() const { return *progress_; }
  SharedProgress* operator->() const { return progress_; }

 private:
  Descriptor fd_;
  SharedProgress* progress_ = nullptr;
};

// Steady clock in nanoseconds: the same in all processes of a machine.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace nasdiag::filebench
