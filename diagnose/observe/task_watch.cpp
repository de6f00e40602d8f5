#include <diagnose/observe/clock.hpp>
#include <diagnose/observe/task_watch.hpp>

#include <unistd.h>

#include <algorithm>

namespace nasdiag::observe {

using evidence::ProcessLoad;
using evidence::ProcessRole;

namespace {

// Looking at every process may take this much of one core; a host with thousands of them is looked at less
// often.
constexpr double scan_budget = 0.002;
constexpr Seconds least_scan_pause{2.0};
// Of these the threads are read too.
constexpr std::size_t most_tracked = 24;

// Below these a process isn't worth a line in the report.
constexpr double least_kernel_worker = 0.01, least_other = 0.05;
constexpr std::size_t most_processes = 24, most_own_threads = 8;

std::int64_t ticks_per_second() { return std::max(::sysconf(_SC_CLK_TCK), 1L); }

bool is_worth_a_line(const ProcessLoad& load) {
  switch (load.role) {
    case ProcessRole::own:
      return load.cpu > 0;
    case ProcessRole::mount_daemon:
    case ProcessRole::mount_transport:
      return load.cpu > 0 || load.serves_mount;
    case ProcessRole::kernel_worker:
      return load.cpu >= least_kernel_worker;
    case ProcessRole::file_server:
    case ProcessRole::other:
      break;
  }
  return load.cpu >= least_other;
}

// Of a hundred busy programs of others none may push those out that the question is about.
void put_the_concerned_first(std::vector<ProcessLoad>& processes) {
  const auto concerned = [](const ProcessLoad& load) {
    return load.serves_mount || load.role == ProcessRole::own || load.role == ProcessRole::mount_daemon ||
           load.role == ProcessRole::mount_transport;
  };
  std::stable_partition(processes.begin(), processes.end(), concerned);
  if (processes.size() > most_processes) processes.resize(most_processes);
}

}  // namespace

TaskWatch::TaskWatch(const std::filesystem::path& root, const evidence::Facts& facts)
    : reader_(root), processes_(ticks_per_second()), threads_(ticks_per_second()) {
  own_.insert(::getpid());
  if (!facts.mount) return;
  for (const auto& process : facts.mount->processes) known_to_serve_.insert(process.pid);
}

void TaskWatch::start(Seconds at) {
  const auto boot_ticks = static_cast<std::int64_t>(clock_seconds(CLOCK_BOOTTIME).count() *
                                                    static_cast<double>(ticks_per_second()));
  processes_.start(at, boot_ticks);
  threads_.start(at, boot_ticks);
  busiest_thread_ = 0;
}

ProcessRole TaskWatch::role_of(const TaskCounters& task) const {
  if (own_.contains(task.id)) return ProcessRole::own;
  const ProcessRole role = role_by_name(task);
  const bool serves = known_to_serve_.contains(task.id);
  return serves && role != ProcessRole::mount_transport && role != ProcessRole::kernel_worker
             ? ProcessRole::mount_daemon
             : role;
}

void TaskWatch::sort_out(const std::vector<TaskCounters>& all) {
  own_ = family_of(::getpid(), all);
  of_mount_.clear();
  std::set<int> servers;
  for (const TaskCounters& task : all) {
    const ProcessRole role = role_of(task);
    if (role == ProcessRole::mount_daemon || role == ProcessRole::mount_transport) of_mount_.insert(task.id);
    if (role == ProcessRole::file_server) servers.insert(task.id);
  }
  tracked_ = own_;
  for (const auto* more : {&known_to_serve_, &of_mount_, &servers}) {
    for (const int process : *more) {
      if (tracked_.size() < most_tracked) tracked_.insert(process);
    }
  }
}

void TaskWatch::read_all(Seconds at) {
  const Seconds before = thread_time();
  const auto all = reader_.all();
  sort_out(all);
  for (const TaskCounters& task : all) processes_.record(at, task.id, task);
  read_threads(at);
  scan_pause_ = std::max(least_scan_pause, (thread_time() - before) / scan_budget);
  scanned_at_ = at;
}

void TaskWatch::read_tracked(Seconds at) {
  if (at - scanned_at_ >= scan_pause_) {
    read_all(at);
    return;
  }
  for (const int process : tracked_) {
    if (const auto task = reader_.one(process)) processes_.record(at, process, *task);
  }
  read_threads(at);
}

void TaskWatch::read_threads(Seconds at) {
  busiest_thread_ = 0;
  for (const int process : tracked_) {
    for (const TaskCounters& thread : reader_.threads(process)) {
      busiest_thread_ = std::max(busiest_thread_, threads_.record(at, process, thread));
    }
  }
}

std::vector<int> TaskWatch::groups_to_follow() const {
  std::vector<int> processes{::getpid()};
  processes.insert(processes.end(), known_to_serve_.begin(), known_to_serve_.end());
  return processes;
}

std::vector<evidence::ThreadLoad> TaskWatch::own_threads(const std::vector<TaskLoad>& threads) const {
  std::vector<evidence::ThreadLoad> own;
  for (const TaskLoad& load : threads) {
    if (own.size() >= most_own_threads) break;
    if (!own_.contains(load.process) || load.cpu <= 0) continue;
    own.push_back(
        {.thread = load.task.id, .name = load.task.name, .cpu = load.cpu, .peak_cpu = load.peak_cpu});
  }
  return own;
}

void TaskWatch::describe(Seconds at, evidence::Observation& observation) const {
  const auto threads = threads_.loads(at);  // busiest first
  observation.own_threads = own_threads(threads);
  for (const TaskLoad& load : processes_.loads(at)) {
    ProcessLoad process{.process = load.task.id,
                        .name = load.task.name,
                        .role = role_of(load.task),
                        .serves_mount = known_to_serve_.contains(load.task.id),
                        .cpu = load.cpu,
                        .system = load.system,
                        .peak_cpu = load.peak_cpu};
    if (!is_worth_a_line(process)) continue;
    const auto thread = std::find_if(threads.begin(), threads.end(),
                                     [&](const TaskLoad& other) { return other.process == load.task.id; });
    if (thread != threads.end()) {
      process.busiest_thread = {.thread = thread->task.id,
                                .name = thread->task.name,
                                .cpu = thread->cpu,
                                .peak_cpu = thread->peak_cpu};
    }
    observation.processes.push_back(std::move(process));
  }
  put_the_concerned_first(observation.processes);
}

}  // namespace nasdiag::observe
