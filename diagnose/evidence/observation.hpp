#pragma once

// What the host did while something was measured: one Observation per window. Made by diagnose/observe,
// saved with the experiment it belongs to. What could not be read is absent, never zero.
//
// Shares go from 0 to 1. Processor shares are of one core, so a process with two busy threads has 2.
// peak means the highest value over a stretch of at least a second, never of a single sample.

#include <filebench/counters.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::evidence {

struct CoreLoad {
  int core = 0;
  double user = 0, system = 0, irq = 0, softirq = 0, steal = 0, iowait = 0;
  double peak_busy = 0;
  std::optional<double> mhz;
  // Of work; waiting for I/O is no work, and stolen time can't be used either.
  double busy() const { return user + system + irq + softirq + steal; }
  bool operator==(const CoreLoad&) const = default;
};

enum class ProcessRole {
  own,              // this program and its children
  mount_daemon,     // serves the mount: sshfs, gvfsd-fuse, gvfsd-smb, rclone, mount.davfs …
  mount_transport,  // carries its data: ssh
  file_server,      // smbd, nfsd, sftp-server on this machine
  kernel_worker,    // cifsd, nfsiod, kworker, ksoftirqd
  other
};

struct ThreadLoad {
  int thread = 0;
  std::string name;
  double cpu = 0;
  double peak_cpu = 0;
  bool operator==(const ThreadLoad&) const = default;
};

struct ProcessLoad {
  int process = 0;
  std::string name;
  ProcessRole role = ProcessRole::other;
  bool serves_mount = false;  // known to serve the mount under test, rather than one like it
  double cpu = 0;             // user + system
  double system = 0;
  double peak_cpu = 0;
  std::optional<ThreadLoad> busiest_thread;
  bool operator==(const ProcessLoad&) const = default;
};

struct NicActivity {
  std::string name;
  measure::DataRate received, sent;  // with all headers that the kernel counts
  measure::DataRate peak_received, peak_sent;
  double packets_received = 0, packets_sent = 0;  // per second
  std::int64_t errors = 0, drops = 0, crc_errors = 0, collisions = 0,
               carrier_changes = 0;  // within the window
  std::optional<std::int64_t> pause_frames_received, pause_frames_sent;
  std::optional<measure::DataRate> speed;    // negotiated
  std::optional<measure::DataRate> payload;  // what it can carry as TCP payload
  bool operator==(const NicActivity&) const = default;
};

// Of the whole host, within the window.
struct TcpActivity {
  std::optional<std::int64_t> segments_sent, retransmits, timeouts, listen_drops, receive_prunes,
      receive_collapses, backlog_drops, receive_queue_drops, zero_window_wanted, zero_window_drops;
  std::optional<std::int64_t> softnet_drops, softnet_squeezes;
  bool operator==(const TcpActivity&) const = default;
};

// TCP_INFO of a group of sockets, over the window.
struct SocketActivity {
  std::string group;  // "mount", "own"
  int sockets = 0;
  bool kernel_owned = false;  // an NFS or CIFS mount's
  std::string peer;           // address and port of the first
  std::string congestion_control;
  measure::DataRate sent, received;  // acknowledged by the peer; received from it
  std::int64_t segments_sent = 0, retransmits = 0;
  std::optional<double> busy, receive_window_limited,
      send_buffer_limited;  // share of the window, busiest socket
  std::optional<measure::ByteCount> minimum_peer_window, minimum_not_sent;  // lowest seen
  std::optional<measure::Seconds> rtt, minimum_rtt;  // mean while busy; kernel's minimum
  std::optional<int> path_mtu, segment_size;
  std::optional<double> congestion_window;  // segments, mean
  bool operator==(const SocketActivity&) const = default;
};

struct DiskActivity {
  std::string name;
  measure::DataRate read, written;
  measure::DataRate peak_read, peak_written;
  double reads = 0, writes = 0;  // per second
  double busy = 0;               // share of the window with a request in flight
  double in_flight = 0;          // mean
  std::optional<measure::Seconds> read_latency, write_latency;  // mean per request
  bool holds_local_files = false;                               // the device under the user's own files
  bool operator==(const DiskActivity&) const = default;
};

struct PressureActivity {  // PSI: share of the window
  std::optional<double> cpu_some, io_some, io_full, memory_some, memory_full;
  bool operator==(const PressureActivity&) const = default;
};

struct MemoryActivity {
  std::optional<measure::ByteCount> least_available, most_dirty, most_writeback, dirty_limit;
  double at_dirty_limit = 0;  // share of the window in which the kernel held writers back (80 % of the limit)
  bool operator==(const MemoryActivity&) const = default;
};

// A group of processes under a limit of processor time: throttled processes look idle.
struct QuotaActivity {
  std::string group;
  std::optional<double> quota_cores;
  double throttled = 0;  // share of the enforcement periods in which the group was stopped
  bool operator==(const QuotaActivity&) const = default;
};

struct HeatActivity {
  std::optional<double> highest_celsius;
  std::optional<std::int64_t> throttle_events;
  bool operator==(const HeatActivity&) const = default;
};

// Something was full, or waited for, while the figure was taken.
struct Saturation {
  std::string code;     // "core", "thread", "nic-receive", "nic-send", "disk", "receive-window" …: see
                        // observe/saturations.hpp
  std::string subject;  // "core 1", "gvfsd-smb", "enp4s0", "vda"
  double share = 0;     // how full, or how much of the time
  std::string text;     // one line for people
  bool operator==(const Saturation&) const = default;
};

// One stretch of the window, for charts and for telling a change within it.
struct ObservedStretch {
  measure::Seconds start{0}, length{0};
  double busiest_core = 0, busiest_thread = 0, iowait = 0;
  measure::DataRate received, sent;           // of the NIC under test
  measure::DataRate disk_read, disk_written;  // of all disks
  bool operator==(const ObservedStretch&) const = default;
};

struct Observation {
  measure::Seconds length{0};
  std::int64_t samples = 0;
  std::vector<CoreLoad> cores;
  std::vector<ProcessLoad> processes;   // own ones, those of the mount, and the busiest others
  std::vector<ThreadLoad> own_threads;  // busiest first
  std::vector<NicActivity> nics;
  std::optional<std::string> tested_nic;  // of those on the ways to the server and the mount, the busiest
  TcpActivity tcp;
  std::vector<SocketActivity> sockets;
  std::vector<DiskActivity> disks;
  std::optional<filebench::MountCounters> mount;  // the mount's own counters, within the window
  PressureActivity pressure;
  MemoryActivity memory;
  std::vector<QuotaActivity> quotas;
  HeatActivity heat;
  std::vector<ObservedStretch> course;  // at most a few hundred
  std::vector<Saturation> saturations;  // most telling first
  measure::Notes notes;
  bool operator==(const Observation&) const = default;
};

constexpr const char* to_string(ProcessRole role) {
  switch (role) {
    case ProcessRole::own:
      return "own";
    case ProcessRole::mount_daemon:
      return "mount-daemon";
    case ProcessRole::mount_transport:
      return "mount-transport";
    case ProcessRole::file_server:
      return "file-server";
    case ProcessRole::kernel_worker:
      return "kernel-worker";
    case ProcessRole::other:
      return "other";
  }
  return "other";
}

}  // namespace nasdiag::evidence
