#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::diskbench {

struct MountEntry {
  std::string device_number;  // "8:1"
  std::filesystem::path mount_point;
  std::string options;
  std::string file_system;
  std::string source;
};

// The text of /proc/self/mountinfo; lines that make no sense are left out.
std::vector<MountEntry> parse_mount_table(std::string_view text);

// The mount that a path lies on: the longest mount point above it, the latest of several.
std::optional<MountEntry> mount_of(const std::vector<MountEntry>& mounts, const std::filesystem::path& path);

}  // namespace nasdiag::diskbench
