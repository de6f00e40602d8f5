#pragma once

// Which processes there are, what they have to do with a mount, and their threads.

#include <diagnose/evidence/observation.hpp>
#include <diagnose/observe/counters.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nasdiag::observe {

// Reads /proc/PID/stat and task/TID/stat below a root folder. One that is gone is left out.
class ProcessReader {
 public:
  explicit ProcessReader(const std::filesystem::path& root);
  ~ProcessReader();
  ProcessReader(const ProcessReader&) = delete;
  ProcessReader& operator=(const ProcessReader&) = delete;

  std::vector<TaskCounters> all() const;
  std::optional<TaskCounters> one(int process) const;
  std::vector<TaskCounters> threads(int process) const;
  // Inodes of the sockets that a process has open; none without the right to look.
  std::set<std::uint32_t> socket_inodes(int process) const;

 private:
  std::optional<TaskCounters> read(const std::string& file) const;
  std::vector<TaskCounters> read_numbered(const std::string& folder) const;

  int proc_ = -1;  // the folder
};

// What a process is by its name alone: nobody else uses these names.
evidence::ProcessRole role_by_name(const TaskCounters& task);

// The process itself and all that it started, directly or not.
std::set<int> family_of(int process, const std::vector<TaskCounters>& all);

}  // namespace nasdiag::observe
