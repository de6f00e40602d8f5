#include "mount_counters.hpp"

#include <filebench/counter_watch.hpp>

#include <utility>

namespace nasdiag::filebench {

struct CounterWatch::State {
  CounterReader reader;
  CounterSnapshot last;
};

CounterWatch::CounterWatch(const Mount& mount, const std::filesystem::path& root)
    : state_(std::make_unique<State>(State{.reader = CounterReader(mount, {}, root), .last = {}})) {
  state_->last = state_->reader.take();
}

CounterWatch::~CounterWatch() = default;

MountCounters CounterWatch::take() {
  CounterSnapshot now = state_->reader.take();
  MountCounters change = difference(state_->last, now);
  state_->last = std::move(now);
  return change;
}

}  // namespace nasdiag::filebench
