#pragma once

// What the kernel counts, as read at one moment: raw numbers, no rates. model.hpp makes rates of two.

#include <measure/quantity.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::observe {

using measure::ByteCount;
using measure::Seconds;

// A line "cpu0 …" of /proc/stat, in clock ticks.
struct CpuTimes {
  int core = 0;
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  std::int64_t total() const { return user + nice + system + idle + iowait + irq + softirq + steal; }
  bool operator==(const CpuTimes&) const = default;
};

// A line of /proc/net/dev.
struct NicCounters {
  std::string name;
  std::int64_t received_bytes = 0, received_packets = 0, received_errors = 0, received_drops = 0;
  std::int64_t sent_bytes = 0, sent_packets = 0, sent_errors = 0, sent_drops = 0, collisions = 0;
  bool operator==(const NicCounters&) const = default;
};

// What /proc/net/dev lacks, from sysfs and the driver; of the interfaces under test only.
struct NicExtras {
  std::string name;
  std::optional<std::int64_t> crc_errors, carrier_changes, pause_received, pause_sent;
  bool operator==(const NicExtras&) const = default;
};

// A line of /proc/diskstats.
struct DiskCounters {
  std::string name;
  std::int64_t reads = 0, sectors_read = 0, read_ms = 0;
  std::int64_t writes = 0, sectors_written = 0, write_ms = 0;
  std::int64_t busy_ms = 0, weighted_ms = 0;
  bool operator==(const DiskCounters&) const = default;
};

// /proc/net/snmp and netstat by "Tcp.RetransSegs", and the sums of softnet_stat.
using NetCounters = std::map<std::string, std::int64_t, std::less<>>;

struct SoftnetCounters {
  std::int64_t dropped = 0, squeezed = 0;
  bool operator==(const SoftnetCounters&) const = default;
};

// Time in which some or all tasks waited, since boot.
struct PressureTotals {
  std::optional<std::chrono::microseconds> some, full;
  bool operator==(const PressureTotals&) const = default;
};

struct MemoryGauges {
  std::optional<ByteCount> available, dirty, writeback, dirty_limit;
  bool operator==(const MemoryGauges&) const = default;
};

struct QuotaCounters {
  std::string group;
  std::optional<double> quota_cores;
  std::int64_t periods = 0, throttled = 0;
  bool operator==(const QuotaCounters&) const = default;
};

struct HeatGauges {
  std::optional<double> celsius;                // the hottest sensor
  std::optional<std::int64_t> throttle_events;  // since boot, all cores
  bool operator==(const HeatGauges&) const = default;
};

struct Sample {
  Seconds at{0};  // of a steady clock
  std::vector<CpuTimes> cores;
  std::vector<NicCounters> nics;
  std::vector<DiskCounters> disks;
  MemoryGauges memory;
  // Read less often than the rest.
  std::vector<NicExtras> nic_extras;
  NetCounters net;
  std::optional<SoftnetCounters> softnet;
  PressureTotals cpu_pressure, io_pressure, memory_pressure;
  std::vector<QuotaCounters> quotas;
  HeatGauges heat;
  std::map<int, double> megahertz;  // by core
};

// A process or thread as its stat file tells.
struct TaskCounters {
  int id = 0;
  int parent = 0;
  std::string name;
  char state = '?';
  bool kernel_thread = false;
  std::int64_t user_ticks = 0, system_ticks = 0, start_ticks = 0;
  std::int64_t ticks() const { return user_ticks + system_ticks; }
  bool operator==(const TaskCounters&) const = default;
};

// The parts of the kernel's struct tcp_info that tell what limits a connection. Those that older kernels
// lack are optional; all counters run since the connection was made.
struct TcpInfo {
  int state = 0;
  std::int64_t segment_size = 0, path_mtu = 0, congestion_window = 0, total_retransmits = 0;
  std::chrono::microseconds rtt{0};
  std::optional<std::chrono::microseconds> minimum_rtt, busy, receive_window_limited, send_buffer_limited;
  std::optional<ByteCount> acknowledged, received, not_sent, peer_window;
  std::optional<std::int64_t> data_segments_sent;
  bool operator==(const TcpInfo&) const = default;
};

// Both ends of a connection as the kernel names them, in network byte order.
struct SocketId {
  unsigned char family = 0;
  std::uint16_t source_port = 0, peer_port = 0;
  std::array<std::uint32_t, 4> source{}, peer{};
  std::uint32_t interface = 0;
  bool operator==(const SocketId&) const = default;
};

struct SocketState {
  std::uint64_t cookie = 0;  // the kernel's own identity of a socket
  SocketId id;
  std::uint32_t inode = 0;
  std::string peer;  // "192.0.2.5:2049", "[2001:db8::5]:445"
  std::uint16_t peer_port = 0;
  std::string congestion_control;
  TcpInfo info;
  bool operator==(const SocketState&) const = default;
};

}  // namespace nasdiag::observe
