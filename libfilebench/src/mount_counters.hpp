#pragma once

// Reads, from outside, what the kernel counts for a mount. Nothing here touches the mount.

#include <filebench/counters.hpp>
#include <filebench/mount.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::filebench {

struct ProcessTimes {
  std::string name;
  std::uint64_t start_time = 0;  // with the pid, its identity
  Seconds cpu{0};
  std::map<int, Seconds> threads;
};

struct CounterSnapshot {
  std::int64_t time = 0;  // ns
  std::optional<NfsCounters> nfs;
  std::optional<CifsCounters> cifs;
  std::map<int, ProcessTimes> processes;
  std::vector<InterfaceBytes> interfaces;
};

class CounterReader {
 public:
  // `also`: pids to watch beside the processes that serve the mount. `root` is for tests.
  CounterReader(Mount mount, std::vector<int> also, std::filesystem::path root = "/");

  CounterSnapshot take() const;
  // A number that changes when data moves for this mount: cheap, and asked while a worker is silent.
  std::uint64_t movement() const;

 private:
  Mount mount_;
  std::vector<int> also_;
  std::filesystem::path root_;
};

MountCounters difference(const CounterSnapshot& before, const CounterSnapshot& after);

// Pieces of the above, pure.
NfsCounters difference(const NfsCounters& before, const NfsCounters& after);
CifsCounters difference(const CifsCounters& before, const CifsCounters& after);

}  // namespace nasdiag::filebench
