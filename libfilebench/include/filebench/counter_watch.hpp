#pragma once

// The mount's own counters while somebody else's copy runs. Nothing here touches the mount.

#include <filebench/counters.hpp>
#include <filebench/mount.hpp>

#include <filesystem>
#include <memory>

namespace nasdiag::filebench {

class CounterWatch {
 public:
  // `root`: where proc is found.
  explicit CounterWatch(const Mount& mount, const std::filesystem::path& root = "/");
  ~CounterWatch();
  CounterWatch(const CounterWatch&) = delete;
  CounterWatch& operator=(const CounterWatch&) = delete;

  // What was counted since the start, or since the last take().
  MountCounters take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nasdiag::filebench
