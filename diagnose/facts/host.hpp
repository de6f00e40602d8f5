#pragma once

// This host: processor, memory, kernel, and whether it is one at all.

#include <diagnose/evidence/facts.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::facts {

struct CpuInfo {
  std::optional<std::string> model;
  int processors = 0;
  std::optional<bool> aes;
  bool hypervisor = false;  // the processor says that it is a virtual machine's
  bool x86 = false;
  bool operator==(const CpuInfo&) const = default;
};

CpuInfo parse_cpuinfo(std::string_view text);
// The numbers in "0-3,7".
std::vector<int> parse_cpu_list(std::string_view text);
// "MemTotal:  16318412 kB" by name, in bytes.
std::map<std::string, measure::ByteCount, std::less<>> parse_meminfo(std::string_view text);
// The avg10 of the `some` line of a /proc/pressure file, 0 to 1.
std::optional<double> parse_pressure(std::string_view text);
// The value of a key in /etc/os-release.
std::optional<std::string> os_release_value(std::string_view text, std::string_view key);

// Where the process's group is in each hierarchy of /proc/PID/cgroup: controllers ("" for version 2) and
// path.
std::map<std::string, std::string, std::less<>> parse_cgroup(std::string_view text);
// The folder below sys/fs/cgroup with the processor limits of a group, version 1 or 2. The file named is
// cpu.stat, which both have. Nothing if there is none.
std::optional<std::filesystem::path> cpu_group_folder(const std::filesystem::path& root,
                                                      std::string_view cgroup_text);
// The limit of that very group in cores, as set in cpu.max or cpu.cfs_quota_us.
std::optional<double> cpu_quota(const std::filesystem::path& group_folder);

evidence::HostFacts read_host(const std::filesystem::path& root);

}  // namespace nasdiag::facts
