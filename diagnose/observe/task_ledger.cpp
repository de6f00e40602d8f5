#include <diagnose/observe/task_ledger.hpp>

#include <algorithm>

namespace nasdiag::observe {

namespace {

// A day of short-lived processes must not fill the memory.
constexpr std::size_t most_entries = 2048;
constexpr Seconds peak_stretch{1.0};

}  // namespace

double TaskLedger::cores(std::int64_t ticks, Seconds time) const {
  if (time <= Seconds(0)) return 0;
  return static_cast<double>(std::max<std::int64_t>(ticks, 0)) / static_cast<double>(ticks_per_second_) /
         time.count();
}

void TaskLedger::start(Seconds at, std::int64_t boot_ticks) {
  started_at_ = at;
  start_ticks_ = boot_ticks;
  std::erase_if(entries_, [&](const auto& item) { return item.second.seen_at < at; });
  for (auto& [key, entry] : entries_) {
    entry.base = entry.mark = entry.latest;
    entry.marked_at = at;
    entry.peak = 0;
  }
}

double TaskLedger::record(Seconds at, int process, const TaskCounters& task) {
  const auto [place, is_new] = entries_.try_emplace({task.id, task.start_ticks});
  Entry& entry = place->second;
  if (is_new) {
    entry.process = process;
    entry.base = entry.mark = task;
    entry.marked_at = at;
    if (task.start_ticks > start_ticks_) entry.base.user_ticks = entry.base.system_ticks = 0;
  }
  const double recent = is_new ? 0 : cores(task.ticks() - entry.latest.ticks(), at - entry.seen_at);
  entry.latest = task;
  entry.seen_at = at;
  if (at - entry.marked_at >= peak_stretch) {
    entry.peak = std::max(entry.peak, cores(task.ticks() - entry.mark.ticks(), at - entry.marked_at));
    entry.mark = task;
    entry.marked_at = at;
  }
  if (entries_.size() > most_entries) forget_the_least();
  return recent;
}

void TaskLedger::forget_the_least() {
  Seconds newest{0};
  for (const auto& [key, entry] : entries_) newest = std::max(newest, entry.seen_at);
  auto least = entries_.end();
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->second.seen_at == newest) continue;  // may still be running
    const auto used = [](const Entry& entry) { return entry.latest.ticks() - entry.base.ticks(); };
    if (least == entries_.end() || used(at->second) < used(least->second)) least = at;
  }
  if (least != entries_.end()) entries_.erase(least);
}

std::vector<TaskLoad> TaskLedger::loads(Seconds at) const {
  const Seconds time = at - started_at_;
  std::vector<TaskLoad> loads;
  for (const auto& [key, entry] : entries_) {
    TaskLoad load{.task = entry.latest,
                  .process = entry.process,
                  .cpu = cores(entry.latest.ticks() - entry.base.ticks(), time),
                  .system = cores(entry.latest.system_ticks - entry.base.system_ticks, time)};
    load.peak_cpu = std::max(entry.peak, load.cpu);
    loads.push_back(std::move(load));
  }
  std::stable_sort(loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.cpu > b.cpu; });
  return loads;
}

}  // namespace nasdiag::observe
