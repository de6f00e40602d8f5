#include "mount_counters.hpp"

#include "cifs_stats.hpp"
#include "mountstats.hpp"
#include "process_times.hpp"
#include "shared_progress.hpp"
#include "text.hpp"
#include "write_budget.hpp"

#include <algorithm>
#include <functional>

namespace nasdiag::filebench {

namespace {

std::optional<NfsCounters> read_nfs(const std::filesystem::path& root, const Mount& mount) {
  const auto all = parse_mountstats(read_text(root / "proc/self/mountstats"));
  const MountStats* stats = find_mount_stats(all, mount.mount_point.string());
  return stats != nullptr ? std::optional(stats->counters) : std::nullopt;
}

std::optional<CifsCounters> read_cifs(const std::filesystem::path& root, const Mount& mount) {
  const CifsStats stats = parse_cifs_stats(read_text(root / "proc/fs/cifs/Stats"));
  for (const CifsShare& share : stats.shares)
    if (is_share_of(share.name, mount.source, mount.address))
      return CifsCounters{.read = share.read,
                          .written = share.written,
                          .requests = share.requests,
                          .session_reconnects = stats.session_reconnects,
                          .share_reconnects = stats.share_reconnects,
                          .slow_responses = stats.slow_responses,
                          .max_in_flight = stats.max_in_flight,
                          .commands = stats.commands};
  return std::nullopt;
}

// /proc/net/dev: "eth0: rx_bytes … (8 numbers) tx_bytes …".
std::vector<InterfaceBytes> read_interfaces(const std::filesystem::path& root) {
  std::vector<InterfaceBytes> interfaces;
  const std::string text = read_text(root / "proc/net/dev");
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto values = words_of(line.substr(colon + 1));
    if (values.size() < 9) continue;
    const std::string name(trimmed(line.substr(0, colon)));
    std::error_code error;
    interfaces.push_back(
        {.name = name,
         .received = ByteCount::bytes(number(values[0]).value_or(0)),
         .sent = ByteCount::bytes(number(values[8]).value_or(0)),
         .hardware = std::filesystem::exists(root / "sys/class/net" / name / "device", error)});
  }
  return interfaces;
}

const NfsOperation* find_operation(const std::vector<NfsOperation>& operations, const std::string& name) {
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [&](const NfsOperation& operation) { return operation.name == name; });
  return found == operations.end() ? nullptr : &*found;
}

NfsOperation minus(const NfsOperation& after, const NfsOperation& before) {
  return {.name = after.name,
          .operations = after.operations - before.operations,
          .transmissions = after.transmissions - before.transmissions,
          .timeouts = after.timeouts - before.timeouts,
          .sent = after.sent - before.sent,
          .received = after.received - before.received,
          .queue = after.queue - before.queue,
          .round_trip = after.round_trip - before.round_trip,
          .execute = after.execute - before.execute,
          .errors = after.errors - before.errors};
}

std::vector<ProcessCpu> process_difference(const CounterSnapshot& before, const CounterSnapshot& after,
                                           Seconds interval) {
  std::vector<ProcessCpu> processes;
  for (const auto& [pid, end] : after.processes) {
    const auto begin = before.processes.find(pid);
    if (begin == before.processes.end() || begin->second.start_time != end.start_time) continue;
    ProcessCpu cpu{.pid = pid, .name = end.name, .cpu = end.cpu - begin->second.cpu};
    Seconds busiest{0};
    for (const auto& [thread, time] : end.threads) {
      const auto earlier = begin->second.threads.find(thread);
      const Seconds spent = earlier == begin->second.threads.end() ? time : time - earlier->second;
      busiest = std::max(busiest, spent);
    }
    if (interval.count() > 0) {
      cpu.cores = cpu.cpu / interval;
      cpu.busiest_thread = busiest / interval;
    }
    processes.push_back(cpu);
  }
  return processes;
}

}  // namespace

const NfsOperation* NfsCounters::find(const std::string& name) const {
  return find_operation(operations, name);
}

NfsOperation NfsCounters::read_operations() const {
  NfsOperation sum{.name = "READ"};
  for (const char* name : {"READ", "READ_PLUS"}) {
    const NfsOperation* operation = find(name);
    if (operation == nullptr) continue;
    sum.operations += operation->operations;
    sum.transmissions += operation->transmissions;
    sum.timeouts += operation->timeouts;
    sum.sent += operation->sent;
    sum.received += operation->received;
    sum.queue += operation->queue;
    sum.round_trip += operation->round_trip;
    sum.execute += operation->execute;
    sum.errors += operation->errors;
  }
  return sum;
}

std::int64_t NfsCounters::retransmissions() const {
  std::int64_t sum = 0;
  for (const NfsOperation& operation : operations) sum += operation.retransmissions();
  return sum;
}

CounterReader::CounterReader(Mount mount, std::vector<int> also, std::filesystem::path root)
    : mount_(std::move(mount)), also_(std::move(also)), root_(std::move(root)) {}

CounterSnapshot CounterReader::take() const {
  CounterSnapshot snapshot;
  snapshot.time = now_ns();
  if (mount_.kind == MountKind::nfs) snapshot.nfs = read_nfs(root_, mount_);
  if (mount_.kind == MountKind::cifs) snapshot.cifs = read_cifs(root_, mount_);
  std::vector<int> pids = also_;
  for (const MountProcess& process : mount_.processes) pids.push_back(process.pid);
  for (const int pid : pids)
    if (auto times = read_process_times(root_, pid)) snapshot.processes[pid] = *times;
  snapshot.interfaces = read_interfaces(root_);
  return snapshot;
}

std::uint64_t CounterReader::movement() const {
  if (mount_.kind == MountKind::nfs) {
    const auto nfs = read_nfs(root_, mount_);
    return nfs ? static_cast<std::uint64_t>((nfs->read_from_server + nfs->written_to_server).bytes()) : 0;
  }
  if (mount_.kind == MountKind::cifs) {
    const auto cifs = read_cifs(root_, mount_);
    return cifs ? static_cast<std::uint64_t>((cifs->read + cifs->written).bytes()) : 0;
  }
  if (mount_.is_network()) return 0;
  // A local file system: sectors read and written by its device, fields 3 and 7.
  const std::string text = read_text(root_ / "sys/dev/block" / mount_.device / "stat");
  const auto fields = words_of(text);
  if (fields.size() < 7) return static_cast<std::uint64_t>(unwritten_bytes().value_or(0));
  return static_cast<std::uint64_t>(number(fields[2]).value_or(0) + number(fields[6]).value_or(0));
}

NfsCounters difference(const NfsCounters& before, const NfsCounters& after) {
  if (after.age < before.age) return after;  // mounted anew meanwhile: its counters began at zero
  NfsCounters change = after;
  change.read_by_programs = after.read_by_programs - before.read_by_programs;
  change.written_by_programs = after.written_by_programs - before.written_by_programs;
  change.direct_read = after.direct_read - before.direct_read;
  change.direct_written = after.direct_written - before.direct_written;
  change.read_from_server = after.read_from_server - before.read_from_server;
  change.written_to_server = after.written_to_server - before.written_to_server;
  change.data_invalidations -= before.data_invalidations;
  change.short_reads -= before.short_reads;
  change.short_writes -= before.short_writes;
  change.delays -= before.delays;
  change.transport.connects -= before.transport.connects;
  change.transport.sends -= before.transport.sends;
  change.transport.receives -= before.transport.receives;
  change.transport.bad_xids -= before.transport.bad_xids;
  change.transport.in_flight_sum -= before.transport.in_flight_sum;
  change.transport.backlog_sum -= before.transport.backlog_sum;
  change.operations.clear();
  for (const NfsOperation& operation : after.operations) {
    const NfsOperation* earlier = before.find(operation.name);
    const NfsOperation moved = earlier != nullptr ? minus(operation, *earlier) : operation;
    if (moved.operations != 0 || moved.transmissions != 0) change.operations.push_back(moved);
  }
  return change;
}

CifsCounters difference(const CifsCounters& before, const CifsCounters& after) {
  CifsCounters change = after;
  change.read = after.read - before.read;
  change.written = after.written - before.written;
  change.requests -= before.requests;
  change.session_reconnects -= before.session_reconnects;
  change.share_reconnects -= before.share_reconnects;
  change.slow_responses -= before.slow_responses;
  change.commands.clear();
  for (const SmbCommand& command : after.commands) {
    const auto earlier = std::find_if(before.commands.begin(), before.commands.end(),
                                      [&](const SmbCommand& entry) { return entry.name == command.name; });
    SmbCommand moved = command;
    if (earlier != before.commands.end()) {
      moved.number -= earlier->number;
      moved.total_time -= earlier->total_time;
    }
    if (moved.number != 0) change.commands.push_back(moved);
  }
  return change;
}

MountCounters difference(const CounterSnapshot& before, const CounterSnapshot& after) {
  MountCounters change;
  change.interval = std::chrono::nanoseconds(after.time - before.time);
  if (before.nfs && after.nfs) change.nfs = difference(*before.nfs, *after.nfs);
  if (before.cifs && after.cifs) change.cifs = difference(*before.cifs, *after.cifs);
  change.processes = process_difference(before, after, change.interval);
  for (const InterfaceBytes& end : after.interfaces) {
    const auto begin = std::find_if(before.interfaces.begin(), before.interfaces.end(),
                                    [&](const InterfaceBytes& entry) { return entry.name == end.name; });
    if (begin == before.interfaces.end() || end.name == "lo") continue;
    const InterfaceBytes moved{.name = end.name,
                               .received = end.received - begin->received,
                               .sent = end.sent - begin->sent,
                               .hardware = end.hardware};
    // One that was quiet is told as well: nothing on the wire is a finding, no interface to ask is none.
    if (end.received.bytes() != 0 || end.sent.bytes() != 0) change.interfaces.push_back(moved);
  }
  return change;
}

}  // namespace nasdiag::filebench
