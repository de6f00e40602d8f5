#pragma once

// Text of /proc and /sys into counters. Pure. What can't be understood is left out: kernels differ.

#include <diagnose/observe/counters.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace nasdiag::observe {

std::vector<CpuTimes> parse_cpu_times(std::string_view stat);
std::vector<NicCounters> parse_net_dev(std::string_view text);
// Without loop and RAM disks that never did anything, and without partitions: their disk is there.
std::vector<DiskCounters> parse_diskstats(std::string_view text);
// The format of both /proc/net/snmp and /proc/net/netstat: a line of names, a line of numbers.
NetCounters parse_net_counters(std::string_view text);
SoftnetCounters parse_softnet(std::string_view text);
PressureTotals parse_pressure_totals(std::string_view text);
// /proc/meminfo; the limit comes from /proc/vmstat.
MemoryGauges parse_memory(std::string_view meminfo);
// nr_dirty_threshold of /proc/vmstat, in pages.
std::optional<std::int64_t> parse_dirty_threshold(std::string_view vmstat);
// cpu.stat of a control group, version 1 or 2.
QuotaCounters parse_quota(std::string_view text);
// /proc/PID/stat or /proc/PID/task/TID/stat; the name may hold spaces and brackets.
std::optional<TaskCounters> parse_task(std::string_view text);
// "cpu MHz" lines of /proc/cpuinfo, by core.
std::map<int, double> parse_megahertz(std::string_view cpuinfo);

// The kernel's struct tcp_info, as long as this kernel's is. Nothing if it's shorter than the oldest.
std::optional<TcpInfo> parse_tcp_info(std::span<const unsigned char> bytes);

}  // namespace nasdiag::observe
