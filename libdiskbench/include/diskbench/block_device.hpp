#pragma once

// What lies under a folder: mount, file system, and the stack of block devices down to the hardware.
// Read from /proc and /sys only; nothing is written and no device is opened.

#include <measure/note.hpp>
#include <measure/quantity.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::diskbench {

enum class DeviceKind { disk, partition, lvm, crypt, multipath, device_mapper, raid, bcache, loop, memory };

struct BlockDevice {
  std::string name;  // "sda1", "md0", "dm-2"
  DeviceKind kind = DeviceKind::disk;
  unsigned level = 0;  // 0: holds the file system; 1: what that lies on; …
  measure::ByteCount size;
  std::optional<bool> rotational;
  std::optional<bool> write_back_cache;
  std::optional<bool> read_only;
  std::string model;                      // empty where there is none
  std::string transport;                  // "sata", "nvme", "usb", "virtio", "mmc"; empty: unknown
  std::optional<measure::DataRate> link;  // what the disk's own link carries (SATA, NVMe lanes, USB)
  std::string scheduler;
  std::optional<bool> polling;  // completions can be polled for
  std::optional<unsigned> queue_requests;
  std::optional<measure::ByteCount> largest_request;
  std::optional<measure::ByteCount> logical_block;
  std::optional<measure::ByteCount> physical_block;
  std::optional<double> temperature_celsius;
  std::string backing;  // loop: its file; lvm and crypt: the name people know
  bool operator==(const BlockDevice&) const = default;
};

struct RaidState {
  std::string name;      // "md0"
  std::string level;     // "raid5"
  std::string activity;  // "resync", "recovery", "reshape", "check"; empty: idle
  std::optional<double> activity_percent;
  bool degraded = false;
  bool operator==(const RaidState&) const = default;
};

struct Storage {
  std::filesystem::path mount_point;
  std::string file_system;  // "ext4", "btrfs", "zfs", "tmpfs", "fuse.sshfs"
  std::string source;       // "/dev/sda1", "tank/home"
  std::string mount_options;
  std::vector<BlockDevice> devices;  // depth first; empty where the file system has no block device
  std::vector<RaidState> raids;      // those under this file system
  std::optional<measure::ByteCount> file_system_size;
  std::optional<measure::ByteCount> free_space;  // for this user
  bool operator==(const Storage&) const = default;
};

// `root` is the folder that holds proc and sys; tests pass a tree of their own. Never throws for what is
// missing: an unknown path gives an empty Storage.
Storage storage_under(const std::filesystem::path& path, const std::filesystem::path& root = "/");

// Bytes moved by each device since boot, for telling whether a disk is busy. Nothing if it is not listed.
struct DeviceActivity {
  measure::ByteCount read;
  measure::ByteCount written;
  measure::Seconds busy{0};
};
std::optional<DeviceActivity> activity_of(const std::string& device, const std::filesystem::path& root = "/");

// What in this storage makes a figure mislead: running resync, degraded array, hot disk.
measure::Notes notes_about(const Storage& storage);

constexpr const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::disk:
      return "disk";
    case DeviceKind::partition:
      return "partition";
    case DeviceKind::lvm:
      return "lvm";
    case DeviceKind::crypt:
      return "crypt";
    case DeviceKind::multipath:
      return "multipath";
    case DeviceKind::device_mapper:
      return "device-mapper";
    case DeviceKind::raid:
      return "raid";
    case DeviceKind::bcache:
      return "bcache";
    case DeviceKind::loop:
      return "loop";
    case DeviceKind::memory:
      return "memory";
  }
  return "disk";
}

}  // namespace nasdiag::diskbench
