#include <diagnose/observe/model.hpp>

#include <algorithm>

namespace nasdiag::observe {

using evidence::CoreLoad;
using evidence::DiskActivity;
using evidence::NicActivity;
using measure::DataRate;

namespace {

constexpr double sector = 512;  // the unit of /proc/diskstats, whatever the device's own

template <class Item>
const Item* find_by_name(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

DataRate rate_of(std::int64_t bytes, Seconds time) {
  return ByteCount::bytes(std::max<std::int64_t>(bytes, 0)) / time;
}

DataRate sector_rate(std::int64_t before, std::int64_t after, Seconds time) {
  return DataRate::bytes_per_second(static_cast<double>(std::max<std::int64_t>(after - before, 0)) * sector /
                                    time.count());
}

std::optional<CoreLoad> core_between(const CpuTimes& before, const CpuTimes& after) {
  const std::int64_t total = after.total() - before.total();
  if (total <= 0) return std::nullopt;
  const auto share = [total](std::int64_t a, std::int64_t b) {
    // iowait may run backwards by a tick.
    return std::clamp(static_cast<double>(b - a) / static_cast<double>(total), 0.0, 1.0);
  };
  CoreLoad load{.core = after.core,
                .user = share(before.user + before.nice, after.user + after.nice),
                .system = share(before.system, after.system),
                .irq = share(before.irq, after.irq),
                .softirq = share(before.softirq, after.softirq),
                .steal = share(before.steal, after.steal),
                .iowait = share(before.iowait, after.iowait)};
  load.peak_busy = load.busy();
  return load;
}

std::optional<NicActivity> nic_between(const NicCounters& before, const NicCounters& after, Seconds time) {
  if (after.received_bytes < before.received_bytes || after.sent_bytes < before.sent_bytes)
    return std::nullopt;
  const auto per_second = [time](std::int64_t count) { return static_cast<double>(count) / time.count(); };
  return NicActivity{
      .name = after.name,
      .received = rate_of(after.received_bytes - before.received_bytes, time),
      .sent = rate_of(after.sent_bytes - before.sent_bytes, time),
      .peak_received = rate_of(after.received_bytes - before.received_bytes, time),
      .peak_sent = rate_of(after.sent_bytes - before.sent_bytes, time),
      .packets_received = per_second(after.received_packets - before.received_packets),
      .packets_sent = per_second(after.sent_packets - before.sent_packets),
      .errors = after.received_errors + after.sent_errors - before.received_errors - before.sent_errors,
      .drops = after.received_drops + after.sent_drops - before.received_drops - before.sent_drops,
      .collisions = after.collisions - before.collisions};
}

std::optional<std::int64_t> difference(const std::optional<std::int64_t>& before,
                                       const std::optional<std::int64_t>& after) {
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

void add_extras(NicActivity& nic, const Sample& before, const Sample& after) {
  const NicExtras* old = find_by_name(before.nic_extras, nic.name);
  const NicExtras* now = find_by_name(after.nic_extras, nic.name);
  if (old == nullptr || now == nullptr) return;
  nic.crc_errors = difference(old->crc_errors, now->crc_errors).value_or(0);
  nic.carrier_changes = difference(old->carrier_changes, now->carrier_changes).value_or(0);
  nic.pause_frames_received = difference(old->pause_received, now->pause_received);
  nic.pause_frames_sent = difference(old->pause_sent, now->pause_sent);
}

std::optional<Seconds> per_request(std::int64_t milliseconds, std::int64_t requests) {
  if (requests <= 0) return std::nullopt;
  return Seconds(static_cast<double>(milliseconds) / 1e3 / static_cast<double>(requests));
}

DiskActivity disk_between(const DiskCounters& before, const DiskCounters& after, Seconds time) {
  const std::int64_t reads = after.reads - before.reads, writes = after.writes - before.writes;
  const double milliseconds = time.count() * 1e3;
  const auto share = [milliseconds](std::int64_t a, std::int64_t b) {
    return static_cast<double>(std::max<std::int64_t>(b - a, 0)) / milliseconds;
  };
  return {.name = after.name,
          .read = sector_rate(before.sectors_read, after.sectors_read, time),
          .written = sector_rate(before.sectors_written, after.sectors_written, time),
          .peak_read = sector_rate(before.sectors_read, after.sectors_read, time),
          .peak_written = sector_rate(before.sectors_written, after.sectors_written, time),
          .reads = static_cast<double>(std::max<std::int64_t>(reads, 0)) / time.count(),
          .writes = static_cast<double>(std::max<std::int64_t>(writes, 0)) / time.count(),
          .busy = std::min(share(before.busy_ms, after.busy_ms), 1.0),
          .in_flight = share(before.weighted_ms, after.weighted_ms),
          .read_latency = per_request(after.read_ms - before.read_ms, reads),
          .write_latency = per_request(after.write_ms - before.write_ms, writes)};
}

evidence::TcpActivity tcp_between(const Sample& before, const Sample& after) {
  const auto counted = [&](const char* name) -> std::optional<std::int64_t> {
    const auto old = before.net.find(name), now = after.net.find(name);
    if (old == before.net.end() || now == after.net.end() || now->second < old->second) return std::nullopt;
    return now->second - old->second;
  };
  evidence::TcpActivity tcp{.segments_sent = counted("Tcp.OutSegs"),
                            .retransmits = counted("Tcp.RetransSegs"),
                            .timeouts = counted("TcpExt.TCPTimeouts"),
                            .listen_drops = counted("TcpExt.ListenDrops"),
                            .receive_prunes = counted("TcpExt.PruneCalled"),
                            .receive_collapses = counted("TcpExt.TCPRcvCollapsed"),
                            .backlog_drops = counted("TcpExt.TCPBacklogDrop"),
                            .receive_queue_drops = counted("TcpExt.TCPRcvQDrop"),
                            .zero_window_wanted = counted("TcpExt.TCPWantZeroWindowAdv"),
                            .zero_window_drops = counted("TcpExt.TCPZeroWindowDrop")};
  if (before.softnet && after.softnet) {
    tcp.softnet_drops = after.softnet->dropped - before.softnet->dropped;
    tcp.softnet_squeezes = after.softnet->squeezed - before.softnet->squeezed;
  }
  return tcp;
}

std::optional<double> waiting(const std::optional<std::chrono::microseconds>& before,
                              const std::optional<std::chrono::microseconds>& after, Seconds time) {
  if (!before || !after) return std::nullopt;
  return std::clamp(Seconds(*after - *before) / time, 0.0, 1.0);
}

evidence::PressureActivity pressure_between(const Sample& before, const Sample& after, Seconds time) {
  return {.cpu_some = waiting(before.cpu_pressure.some, after.cpu_pressure.some, time),
          .io_some = waiting(before.io_pressure.some, after.io_pressure.some, time),
          .io_full = waiting(before.io_pressure.full, after.io_pressure.full, time),
          .memory_some = waiting(before.memory_pressure.some, after.memory_pressure.some, time),
          .memory_full = waiting(before.memory_pressure.full, after.memory_pressure.full, time)};
}

std::vector<evidence::QuotaActivity> quotas_between(const Sample& before, const Sample& after) {
  std::vector<evidence::QuotaActivity> quotas;
  for (const QuotaCounters& now : after.quotas) {
    const auto old = std::find_if(before.quotas.begin(), before.quotas.end(),
                                  [&](const QuotaCounters& quota) { return quota.group == now.group; });
    if (old == before.quotas.end() || now.periods <= old->periods) continue;
    quotas.push_back({.group = now.group,
                      .quota_cores = now.quota_cores,
                      .throttled = std::clamp(static_cast<double>(now.throttled - old->throttled) /
                                                  static_cast<double>(now.periods - old->periods),
                                              0.0, 1.0)});
  }
  return quotas;
}

std::vector<CoreLoad> cores_between(const Sample& before, const Sample& after) {
  std::vector<CoreLoad> loads;
  for (const CpuTimes& now : after.cores) {
    const auto old = std::find_if(before.cores.begin(), before.cores.end(),
                                  [&](const CpuTimes& times) { return times.core == now.core; });
    if (old == before.cores.end()) continue;
    auto load = core_between(*old, now);
    if (!load) continue;
    const auto clock = after.megahertz.find(now.core);
    if (clock != after.megahertz.end()) load->mhz = clock->second;
    loads.push_back(*load);
  }
  return loads;
}

// Values that take the lower or higher of two, where the older may not be there yet.
void lower(std::optional<ByteCount>& value, const std::optional<ByteCount>& other) {
  if (other && (!value || *other < *value)) value = other;
}
void higher(std::optional<ByteCount>& value, const std::optional<ByteCount>& other) {
  if (other && (!value || *other > *value)) value = other;
}

}  // namespace

evidence::Observation rates_between(const Sample& before, const Sample& after) {
  evidence::Observation observation;
  const Seconds time = after.at - before.at;
  observation.length = time;
  if (time <= Seconds(0)) return observation;
  observation.cores = cores_between(before, after);
  for (const NicCounters& now : after.nics) {
    const NicCounters* old = find_by_name(before.nics, now.name);
    auto nic = old != nullptr ? nic_between(*old, now, time) : std::nullopt;
    if (!nic) continue;
    add_extras(*nic, before, after);
    observation.nics.push_back(*nic);
  }
  for (const DiskCounters& now : after.disks) {
    const DiskCounters* old = find_by_name(before.disks, now.name);
    if (old != nullptr) observation.disks.push_back(disk_between(*old, now, time));
  }
  observation.tcp = tcp_between(before, after);
  observation.pressure = pressure_between(before, after, time);
  observation.quotas = quotas_between(before, after);
  observation.heat.throttle_events = difference(before.heat.throttle_events, after.heat.throttle_events);
  return observation;
}

void raise_peaks(evidence::Observation& whole, const evidence::Observation& part) {
  for (CoreLoad& core : whole.cores) {
    for (const CoreLoad& other : part.cores) {
      if (other.core == core.core) core.peak_busy = std::max(core.peak_busy, other.peak_busy);
    }
  }
  for (NicActivity& nic : whole.nics) {
    const NicActivity* other = find_by_name(part.nics, nic.name);
    if (other == nullptr) continue;
    nic.peak_received = std::max(nic.peak_received, other->peak_received);
    nic.peak_sent = std::max(nic.peak_sent, other->peak_sent);
  }
  for (DiskActivity& disk : whole.disks) {
    const DiskActivity* other = find_by_name(part.disks, disk.name);
    if (other == nullptr) continue;
    disk.peak_read = std::max(disk.peak_read, other->peak_read);
    disk.peak_written = std::max(disk.peak_written, other->peak_written);
  }
}

evidence::ObservedStretch stretch_between(const Sample& before, const Sample& after,
                                          const std::vector<std::string>& nics, Seconds start) {
  evidence::ObservedStretch stretch{.start = start, .length = after.at - before.at};
  if (stretch.length <= Seconds(0)) return stretch;
  const auto cores = cores_between(before, after);
  double waiting_time = 0;
  for (const CoreLoad& core : cores) {
    stretch.busiest_core = std::max(stretch.busiest_core, core.busy());
    waiting_time += core.iowait;
  }
  if (!cores.empty()) stretch.iowait = waiting_time / static_cast<double>(cores.size());
  for (const std::string& name : nics) {
    const NicCounters *old = find_by_name(before.nics, name), *now = find_by_name(after.nics, name);
    if (old == nullptr || now == nullptr) continue;
    stretch.received = stretch.received + rate_of(now->received_bytes - old->received_bytes, stretch.length);
    stretch.sent = stretch.sent + rate_of(now->sent_bytes - old->sent_bytes, stretch.length);
  }
  for (const DiskCounters& now : after.disks) {
    const DiskCounters* old = find_by_name(before.disks, now.name);
    if (old == nullptr) continue;
    const DiskActivity disk = disk_between(*old, now, stretch.length);
    stretch.disk_read = stretch.disk_read + disk.read;
    stretch.disk_written = stretch.disk_written + disk.written;
  }
  return stretch;
}

void extend_gauges(evidence::Observation& observation, const Sample& sample) {
  auto& memory = observation.memory;
  lower(memory.least_available, sample.memory.available);
  higher(memory.most_dirty, sample.memory.dirty);
  higher(memory.most_writeback, sample.memory.writeback);
  if (sample.memory.dirty_limit) memory.dirty_limit = sample.memory.dirty_limit;
  auto& hottest = observation.heat.highest_celsius;
  if (sample.heat.celsius && (!hottest || *sample.heat.celsius > *hottest)) hottest = sample.heat.celsius;
}

}  // namespace nasdiag::observe
