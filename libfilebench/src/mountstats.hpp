#pragma once

// /proc/self/mountstats into structs. Counters are those of the superblock, cumulative since it was mounted.

#include <filebench/counters.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

struct MountStats {
  std::string source;
  std::string mount_point;
  std::string type;
  std::string options;  // of NFS: with the attribute cache times that mountinfo leaves out
  NfsCounters counters;
};

// NFS mounts only, in the file's order. Unknown lines and words are skipped.
std::vector<MountStats> parse_mountstats(std::string_view text);

// The one mounted on a folder; of several over one another the last, which is the one seen.
const MountStats* find_mount_stats(const std::vector<MountStats>& all, std::string_view mount_point);

}  // namespace nasdiag::filebench
