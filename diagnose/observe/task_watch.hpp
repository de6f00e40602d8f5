#pragma once

// The processor time of the processes that matter: our own, those that serve the mount, and whoever else is
// busy.

#include <diagnose/evidence/facts.hpp>
#include <diagnose/evidence/observation.hpp>
#include <diagnose/observe/processes.hpp>
#include <diagnose/observe/task_ledger.hpp>

#include <filesystem>
#include <set>
#include <vector>

namespace nasdiag::observe {

class TaskWatch {
 public:
  TaskWatch(const std::filesystem::path& root, const evidence::Facts& facts);

  // A new window, right after read_all() for the same moment.
  void start(Seconds at);
  // All processes: what is there, who belongs to whom. Costs about 10 µs for each.
  void read_all(Seconds at);
  // Processes and threads of those that matter; all of them again when that is due.
  void read_tracked(Seconds at);
  void describe(Seconds at, evidence::Observation& observation) const;

  const std::set<int>& own() const { return own_; }
  const std::set<int>& of_mount() const { return of_mount_; }
  std::vector<int> groups_to_follow() const;
  double busiest_thread_lately() const { return busiest_thread_; }

 private:
  void sort_out(const std::vector<TaskCounters>& all);
  void read_threads(Seconds at);
  evidence::ProcessRole role_of(const TaskCounters& task) const;
  std::vector<evidence::ThreadLoad> own_threads(const std::vector<TaskLoad>& threads) const;

  ProcessReader reader_;
  std::set<int> known_to_serve_;  // by the facts
  std::set<int> own_, of_mount_, tracked_;
  TaskLedger processes_, threads_;
  Seconds scanned_at_{0}, scan_pause_{0};
  double busiest_thread_ = 0;
};

}  // namespace nasdiag::observe
