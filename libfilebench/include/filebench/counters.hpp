#pragma once

// What the kernel counted for a mount while an experiment ran: differences between before and after.

#include <measure/quantity.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::filebench {

using measure::ByteCount;
using measure::Seconds;

// One kind of NFS operation (READ and READ_PLUS stay apart here; ask read_operations() for both).
struct NfsOperation {
  std::string name;
  std::int64_t operations = 0;
  std::int64_t transmissions = 0;  // more than operations: sent again
  std::int64_t timeouts = 0;
  ByteCount sent;                           // with RPC and NFS headers
  ByteCount received;                       // likewise
  std::chrono::milliseconds queue{0};       // sums over all operations: waiting before it was sent,
  std::chrono::milliseconds round_trip{0};  // sent until answered,
  std::chrono::milliseconds execute{0};     // created until completed
  std::int64_t errors = 0;

  std::int64_t retransmissions() const { return transmissions > operations ? transmissions - operations : 0; }
  bool operator==(const NfsOperation&) const = default;
};

// All connections (nconnect) of a mount together.
struct NfsTransport {
  std::string protocol;
  std::int64_t connections = 0;
  std::int64_t connects = 0;  // as a difference: reconnects
  std::int64_t sends = 0;
  std::int64_t receives = 0;
  std::int64_t bad_xids = 0;       // answers to requests given up
  std::int64_t in_flight_sum = 0;  // of requests in flight at each send; / sends = mean
  std::int64_t backlog_sum = 0;    // likewise of requests that waited for a slot
  std::int64_t max_slots = 0;      // most in flight ever on one connection; not a difference
  bool operator==(const NfsTransport&) const = default;
};

struct NfsCounters {
  Seconds age{0};  // of the mount; not a difference
  ByteCount read_by_programs;
  ByteCount written_by_programs;
  ByteCount direct_read;
  ByteCount direct_written;
  ByteCount read_from_server;
  ByteCount written_to_server;
  std::int64_t data_invalidations = 0;
  std::int64_t short_reads = 0;
  std::int64_t short_writes = 0;
  std::int64_t delays = 0;  // the server said "try later"
  NfsTransport transport;
  std::vector<NfsOperation> operations;  // those that happened

  const NfsOperation* find(const std::string& name) const;
  NfsOperation read_operations() const;  // READ + READ_PLUS
  std::int64_t retransmissions() const;  // of all operations
  bool operator==(const NfsCounters&) const = default;
};

struct SmbCommand {
  std::string name;
  std::int64_t number = 0;
  Seconds total_time{0};
  bool operator==(const SmbCommand&) const = default;
};

struct CifsCounters {
  ByteCount read;
  ByteCount written;
  std::int64_t requests = 0;            // SMBs of the share
  std::int64_t session_reconnects = 0;  // of all shares
  std::int64_t share_reconnects = 0;
  std::int64_t slow_responses = 0;
  std::int64_t max_in_flight = 0;    // most ever; not a difference
  std::vector<SmbCommand> commands;  // all connections added
  bool operator==(const CifsCounters&) const = default;
};

// A process or kernel thread that moves the mount's data.
struct ProcessCpu {
  int pid = 0;
  std::string name;
  Seconds cpu{0};             // user and system
  double cores = 0;           // cpu per time: 1 = one core full
  double busiest_thread = 0;  // the same for its busiest thread: near 1 = that thread is the limit
  bool operator==(const ProcessCpu&) const = default;
};

struct InterfaceBytes {
  std::string name;
  ByteCount received;
  ByteCount sent;
  bool hardware =
      false;  // has a device of its own; bridges, bonds and tunnels pass on what another one carries
  bool operator==(const InterfaceBytes&) const = default;
};

struct MountCounters {
  Seconds interval{0};
  std::optional<NfsCounters> nfs;
  std::optional<CifsCounters> cifs;
  std::vector<ProcessCpu> processes;
  std::vector<InterfaceBytes> interfaces;  // without loopback, those that carried anything since the boot
  bool operator==(const MountCounters&) const = default;
};

}  // namespace nasdiag::filebench
