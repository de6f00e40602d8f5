#pragma once

// /proc/self/mountinfo into structs, and which entry covers a path.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

struct MountEntry {
  int id = 0;
  int parent = 0;
  std::string device;  // major:minor
  std::string root;
  std::string mount_point;
  std::string mount_options;
  std::string type;
  std::string source;
  std::string super_options;
};

// Lines that don't have the right form are left out.
std::vector<MountEntry> parse_mount_table(std::string_view text);

const MountEntry* entry_with_id(const std::vector<MountEntry>& table, int id);

// By the names alone: the longest mount point that holds the path; of several on one folder, the one on top.
const MountEntry* entry_covering(const std::vector<MountEntry>& table, const std::filesystem::path& path);

}  // namespace nasdiag::filebench
