#include "device_reader.hpp"
#include "mdstat.hpp"
#include "mount_table.hpp"
#include "sys_tree.hpp"

#include <diskbench/block_device.hpp>

#include <sys/statvfs.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

namespace fs = std::filesystem;
using measure::ByteCount;

constexpr unsigned kDeepestStack = 10;  // a loop file on a loop file on …
constexpr double kHot = 65;             // °C; consumer SSDs begin to throttle at 70 or so

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    result.push_back(entry->path());
  std::sort(result.begin(), result.end());
  return result;
}

// Walks from a device down to the hardware.
class StackReader {
 public:
  StackReader(const SysTree& tree, std::vector<MountEntry> mounts)
      : tree_(tree), mounts_(std::move(mounts)) {}

  void add_mount(const MountEntry& mount, unsigned level) {
    for (const fs::path& folder : folders_of(mount)) add(folder, level);
  }
  std::vector<BlockDevice> take() { return std::move(devices_); }

 private:
  std::optional<fs::path> resolved(const fs::path& link) const {
    std::error_code error;
    fs::path folder = fs::canonical(link, error);
    return error ? std::nullopt : std::optional(folder);
  }
  std::optional<fs::path> folder_named(const std::string& name) const {
    return resolved(tree_.at("/sys/class/block") / name);
  }

  // A file system of several devices (btrfs) has a made-up device number; its source names one of them.
  std::vector<fs::path> folders_of(const MountEntry& mount) const {
    if (const auto folder = resolved(tree_.at("/sys/dev/block") / mount.device_number)) return {*folder};
    const auto folder = folder_of_source(mount.source);
    if (!folder) return {};
    if (mount.file_system == "btrfs") return btrfs_members(*folder);
    return {*folder};
  }

  std::optional<fs::path> folder_of_source(const std::string& source) const {
    if (!source.starts_with("/dev/")) return std::nullopt;
    const std::string name = fs::path(source).filename().string();
    if (!source.starts_with("/dev/mapper/")) return folder_named(name);
    for (const fs::path& device : folders_in(tree_.at("/sys/class/block")))
      if (line_of(device / "dm/name") == name) return resolved(device);
    return std::nullopt;
  }

  std::vector<fs::path> btrfs_members(const fs::path& known) const {
    for (const fs::path& volume : folders_in(tree_.at("/sys/fs/btrfs"))) {
      std::vector<fs::path> members;
      for (const fs::path& device : folders_in(volume / "devices"))
        if (const auto folder = folder_named(device.filename().string())) members.push_back(*folder);
      if (std::find(members.begin(), members.end(), known) != members.end()) return members;
    }
    return {known};
  }

  void add(const fs::path& folder, unsigned level) {
    if (level > kDeepestStack || !seen_.insert(folder).second) return;
    devices_.push_back(read_device(tree_, folder));
    devices_.back().level = level;
    if (devices_.back().kind == DeviceKind::loop) {
      if (const auto mount = mount_of(mounts_, devices_.back().backing)) add_mount(*mount, level + 1);
      return;
    }
    for (const std::string& name : devices_below(folder))
      if (const auto below = folder_named(name)) add(*below, level + 1);
  }

  const SysTree& tree_;
  std::vector<MountEntry> mounts_;
  std::vector<BlockDevice> devices_;
  std::set<fs::path> seen_;
};

void add_space(const fs::path& path, Storage& storage) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0) return;
  const auto unit = static_cast<std::int64_t>(status.f_frsize);
  storage.file_system_size = ByteCount::bytes(static_cast<std::int64_t>(status.f_blocks) * unit);
  storage.free_space = ByteCount::bytes(static_cast<std::int64_t>(status.f_bavail) * unit);
}

bool is_part(const std::vector<BlockDevice>& devices, const std::string& name) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const BlockDevice& device) { return device.name == name; });
}

std::string whole_number(double value) { return std::to_string(std::lround(value)); }

void note_raid(const RaidState& raid, measure::Notes& notes) {
  if (!raid.activity.empty())
    notes.push_back(
        {"raid-busy", measure::Severity::warning,
         raid.name + " is at work on itself (" + raid.activity +
             (raid.activity_percent ? ", " + whole_number(*raid.activity_percent) + " % done" : "") +
             "), which takes a share of its disks' time."});
  if (raid.degraded)
    notes.push_back({"raid-degraded", measure::Severity::warning,
                     raid.name + " (" + raid.level + ") lacks a member: reads may have to be computed."});
}

}  // namespace

Storage storage_under(const fs::path& path, const fs::path& root) {
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(path, error);
  const SysTree tree(root);
  const auto mounts = parse_mount_table(tree.text("/proc/self/mountinfo").value_or(""));
  Storage storage;
  add_space(path, storage);
  const auto mount = mount_of(mounts, error ? path : absolute);
  if (!mount) return storage;
  storage.mount_point = mount->mount_point;
  storage.file_system = mount->file_system;
  storage.source = mount->source;
  storage.mount_options = mount->options;
  StackReader reader(tree, mounts);
  reader.add_mount(*mount, 0);
  storage.devices = reader.take();
  for (RaidState& raid : parse_mdstat(tree.text("/proc/mdstat").value_or("")))
    if (is_part(storage.devices, raid.name)) storage.raids.push_back(std::move(raid));
  return storage;
}

std::optional<DeviceActivity> activity_of(const std::string& device, const fs::path& root) {
  constexpr std::int64_t kSector = 512;
  std::istringstream lines(SysTree(root).text("/proc/diskstats").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string major;
    std::string minor;
    std::string name;
    std::int64_t n[10] = {};
    if (!(fields >> major >> minor >> name) || name != device) continue;
    for (std::int64_t& value : n)
      if (!(fields >> value)) return std::nullopt;
    return DeviceActivity{.read = ByteCount::bytes(n[2] * kSector),
                          .written = ByteCount::bytes(n[6] * kSector),
                          .busy = std::chrono::milliseconds(n[9])};
  }
  return std::nullopt;
}

measure::Notes notes_about(const Storage& storage) {
  measure::Notes notes;
  for (const RaidState& raid : storage.raids) note_raid(raid, notes);
  for (const BlockDevice& device : storage.devices)
    if (device.temperature_celsius.value_or(0) >= kHot)
      notes.push_back({"disk-hot", measure::Severity::warning,
                       device.name + (device.model.empty() ? "" : " (" + device.model + ")") + " is at " +
                           whole_number(*device.temperature_celsius) + " °C and may slow itself down."});
  return notes;
}

}  // namespace nasdiag::diskbench
