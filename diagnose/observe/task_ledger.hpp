#pragma once

// Processor time of processes or threads that come and go during a window. Pure bookkeeping.

#include <diagnose/observe/counters.hpp>

#include <map>
#include <utility>
#include <vector>

namespace nasdiag::observe {

struct TaskLoad {
  TaskCounters task;  // as last seen
  int process = 0;    // that a thread belongs to; of a process itself its own number
  double cpu = 0;     // cores
  double system = 0;
  double peak_cpu = 0;  // highest over a stretch of at least a second; at least `cpu`
  bool operator==(const TaskLoad&) const = default;
};

class TaskLedger {
 public:
  // `ticks_per_second` of the counters (100 nearly everywhere).
  explicit TaskLedger(std::int64_t ticks_per_second) : ticks_per_second_(ticks_per_second) {}

  // A new window. What was recorded for this very moment is the base of what follows, the rest has ended.
  // `boot_ticks`: the time since boot; a task that starts later has all its time in the window.
  void start(Seconds at, std::int64_t boot_ticks);
  // Returns the cores it used since it was recorded last; 0 the first time.
  double record(Seconds at, int process, const TaskCounters& task);
  // Everything that ran, busiest first, those that have ended included.
  std::vector<TaskLoad> loads(Seconds at) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    int process = 0;
    TaskCounters base, latest, mark;
    Seconds marked_at{0}, seen_at{0};
    double peak = 0;
  };
  double cores(std::int64_t ticks, Seconds time) const;
  void forget_the_least();

  std::int64_t ticks_per_second_;
  Seconds started_at_{0};
  std::int64_t start_ticks_ = 0;
  std::map<std::pair<int, std::int64_t>, Entry> entries_;  // by number and start: numbers are used again
};

}  // namespace nasdiag::observe
