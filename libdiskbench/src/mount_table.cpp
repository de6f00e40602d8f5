#include "mount_table.hpp"

#include <algorithm>
#include <sstream>

namespace nasdiag::diskbench {

namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes blanks and backslashes as \040 and \134.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::optional<MountEntry> parse_line(const std::string& line) {
  std::istringstream fields(line);
  std::string id;
  std::string parent;
  std::string folder;
  std::string point;
  std::string optional;
  MountEntry entry;
  if (!(fields >> id >> parent >> entry.device_number >> folder >> point >> entry.options))
    return std::nullopt;
  while (fields >> optional && optional != "-") {
  }
  if (!(fields >> entry.file_system >> entry.source)) return std::nullopt;
  entry.mount_point = unescaped(point);
  entry.source = unescaped(entry.source);
  return entry;
}

bool lies_under(const std::filesystem::path& path, const std::filesystem::path& above) {
  return std::mismatch(above.begin(), above.end(), path.begin(), path.end()).first == above.end();
}

}  // namespace

std::vector<MountEntry> parse_mount_table(std::string_view text) {
  std::vector<MountEntry> mounts;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line))
    if (auto entry = parse_line(line)) mounts.push_back(std::move(*entry));
  return mounts;
}

std::optional<MountEntry> mount_of(const std::vector<MountEntry>& mounts, const std::filesystem::path& path) {
  const MountEntry* best = nullptr;
  for (const MountEntry& mount : mounts)
    if (lies_under(path, mount.mount_point) &&
        (best == nullptr || mount.mount_point.native().size() >= best->mount_point.native().size()))
      best = &mount;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace nasdiag::diskbench
