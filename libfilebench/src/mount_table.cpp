#include "mount_table.hpp"

#include "text.hpp"

#include <algorithm>
#include <optional>

namespace nasdiag::filebench {

namespace {

// Fields are parted by single blanks, and a source may be empty: runs of blanks must not collapse.
std::optional<MountEntry> parse_line(std::string_view line) {
  const auto fields = split(line, ' ');
  const auto hyphen =
      std::find(fields.begin() + std::min<std::ptrdiff_t>(6, std::ssize(fields)), fields.end(), "-");
  if (fields.size() < 10 || std::distance(hyphen, fields.end()) < 3) return std::nullopt;
  const auto id = number(fields[0]);
  const auto parent = number(fields[1]);
  if (!id || !parent) return std::nullopt;
  const auto after = [&](std::ptrdiff_t n) {
    return std::distance(hyphen, fields.end()) > n ? *(hyphen + n) : std::string_view();
  };
  return MountEntry{.id = static_cast<int>(*id),
                    .parent = static_cast<int>(*parent),
                    .device = std::string(fields[2]),
                    .root = unescape_octal(fields[3]),
                    .mount_point = unescape_octal(fields[4]),
                    .mount_options = std::string(fields[5]),
                    .type = std::string(after(1)),
                    .source = unescape_octal(after(2)),
                    .super_options = unescape_octal(after(3))};
}

bool holds(std::string_view mount_point, std::string_view path) {
  if (mount_point == "/") return path.starts_with('/');
  return path.starts_with(mount_point) &&
         (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

}  // namespace

std::vector<MountEntry> parse_mount_table(std::string_view text) {
  std::vector<MountEntry> table;
  for (const std::string_view line : lines_of(text)) {
    auto entry = parse_line(line);
    if (entry && !entry->mount_point.ends_with("//deleted")) table.push_back(std::move(*entry));
  }
  return table;
}

const MountEntry* entry_with_id(const std::vector<MountEntry>& table, int id) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const MountEntry& entry) { return entry.id == id; });
  return found == table.end() ? nullptr : &*found;
}

const MountEntry* entry_covering(const std::vector<MountEntry>& table, const std::filesystem::path& path) {
  const MountEntry* best = nullptr;
  const std::string text = path.lexically_normal().string();
  for (const MountEntry& entry : table) {
    if (!holds(entry.mount_point, text)) continue;
    // Of equal ones the later wins, unless it lies below: then the earlier names it as its parent.
    const bool longer = best == nullptr || entry.mount_point.size() > best->mount_point.size();
    const bool same = best != nullptr && entry.mount_point.size() == best->mount_point.size();
    if (longer || (same && best->parent != entry.id)) best = &entry;
  }
  return best;
}

}  // namespace nasdiag::filebench
