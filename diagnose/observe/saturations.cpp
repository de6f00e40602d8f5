#include <diagnose/observe/saturations.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cstdio>

namespace nasdiag::observe {

using evidence::Observation;
using evidence::ProcessLoad;
using evidence::ProcessRole;
using evidence::Saturation;
using measure::DataRate;

namespace {

using Saturations = std::vector<Saturation>;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100);
  return text;
}

bool is_of_mount(const ProcessLoad& process) {
  return process.role == ProcessRole::mount_daemon || process.role == ProcessRole::mount_transport;
}

// When it is known which processes serve the mount, others of their kind belong to other mounts.
std::vector<const ProcessLoad*> mount_processes(const Observation& observation) {
  std::vector<const ProcessLoad*> known, alike;
  for (const ProcessLoad& process : observation.processes) {
    if (!is_of_mount(process)) continue;
    alike.push_back(&process);
    if (process.serves_mount) known.push_back(&process);
  }
  return known.empty() ? alike : known;
}

const char* thread_code(ProcessRole role) {
  switch (role) {
    case ProcessRole::mount_daemon:
    case ProcessRole::mount_transport:
      return "mount-thread";
    case ProcessRole::kernel_worker:
      return "kernel-thread";
    case ProcessRole::file_server:
      return "server-thread";
    case ProcessRole::own:
      return "own-thread";
    case ProcessRole::other:
      break;
  }
  return "other-thread";
}

double thread_load(const ProcessLoad& process) {
  return process.busiest_thread ? process.busiest_thread->cpu : process.cpu;
}

void judge_threads(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  std::vector<const ProcessLoad*> full;
  for (const ProcessLoad& process : observation.processes) {
    if (thread_load(process) >= limits.thread_busy) full.push_back(&process);
  }
  std::stable_sort(full.begin(), full.end(), [](const ProcessLoad* a, const ProcessLoad* b) {
    return is_of_mount(*a) > is_of_mount(*b);
  });
  for (const ProcessLoad* process : full) {
    std::string text = process->name + " kept one core " + percent(thread_load(*process)) + " busy";
    const auto& thread = process->busiest_thread;
    if (thread && process->cpu > thread->cpu * 1.1) text += " with its thread " + thread->name;
    found.push_back({thread_code(process->role), process->name, thread_load(*process), text});
  }
}

// Two programs that hand data to each other and wait: neither is full, together they are.
void judge_turns(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  double sum = 0;
  std::string names;
  int working = 0;
  for (const ProcessLoad* process : mount_processes(observation)) {
    if (thread_load(*process) >= limits.thread_busy) return;
    if (process->cpu < 0.1) continue;
    sum += process->cpu;
    names += (names.empty() ? "" : " and ") + process->name + " (" + percent(process->cpu) + ")";
    ++working;
  }
  if (working < 2 || sum < limits.in_turn) return;
  found.push_back({"mount-in-turn", names, std::min(sum, 1.0),
                   names + " serve the mount in turn: together they took " + percent(sum) + " of a core"});
}

std::string busiest_process_text(const Observation& observation) {
  const ProcessLoad* busiest = nullptr;
  for (const ProcessLoad& process : observation.processes) {
    if (busiest == nullptr || process.cpu > busiest->cpu) busiest = &process;
  }
  if (busiest == nullptr || busiest->cpu < 0.2) return "";
  return "; the busiest program was " + busiest->name + " with " + percent(busiest->cpu) + " of a core";
}

void judge_cores(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  std::vector<const evidence::CoreLoad*> full;
  for (const auto& core : observation.cores) {
    if (core.softirq >= limits.softirq) {
      found.push_back({"softirq", "core " + std::to_string(core.core), core.softirq,
                       "core " + std::to_string(core.core) + " spent " + percent(core.softirq) +
                           " of its time in network interrupts"});
    }
    if (core.busy() >= limits.core_busy) full.push_back(&core);
  }
  if (full.empty()) return;
  const std::string who = busiest_process_text(observation);
  if (full.size() == observation.cores.size() && full.size() > 1) {
    double sum = 0;
    for (const auto* core : full) sum += core->busy();
    const double mean = sum / static_cast<double>(full.size());
    found.push_back({"all-cores", "processor", mean,
                     "all " + std::to_string(full.size()) + " cores were " + percent(mean) + " busy" + who});
    return;
  }
  for (const auto* core : full) {
    const std::string name = "core " + std::to_string(core->core);
    std::string text = name + " was " + percent(core->busy()) + " busy";
    found.push_back({"core", name, core->busy(), text.append(who)});
  }
}

void judge_restrictions(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  for (const auto& quota : observation.quotas) {
    if (quota.throttled < limits.throttled) continue;
    char cores[64] = "";
    if (quota.quota_cores) std::snprintf(cores, sizeof cores, " of %.2f cores", *quota.quota_cores);
    found.push_back({"cpu-quota", quota.group, quota.throttled,
                     "the control group " + quota.group + " was stopped by its limit" + cores + " in " +
                         percent(quota.throttled) + " of the periods: its programs look idle, but aren't"});
  }
  double stolen = 0;
  for (const auto& core : observation.cores)
    stolen += core.steal / static_cast<double>(observation.cores.size());
  if (stolen >= limits.stolen) {
    found.push_back(
        {"steal", "processor", stolen, "the hypervisor took " + percent(stolen) + " of the processor time"});
  }
  if (observation.heat.throttle_events.value_or(0) > 0) {
    found.push_back({"heat", "processor", 1,
                     "the processor slowed itself down " + std::to_string(*observation.heat.throttle_events) +
                         " times because it was hot"});
  }
}

// The kernel counts 66 bytes of headers with each full segment's 1448 bytes.
constexpr double counted_per_payload = 1514.0 / 1448;

void judge_nic(const evidence::NicActivity& nic, const SaturationLimits& limits, measure::Seconds length,
               Saturations& found) {
  const auto judge_rate = [&](DataRate rate, const char* code, const char* verb) {
    if (!nic.payload) return;
    const double share = rate / (*nic.payload * counted_per_payload);
    if (share < limits.nic_full) return;
    const DataRate of = nic.speed.value_or(*nic.payload);
    found.push_back(
        {code, nic.name, std::min(share, 1.0),
         nic.name + " " + verb + " " + measure::megabits_text(rate) + " of " + measure::megabits_text(of)});
  };
  judge_rate(nic.received, "nic-receive", "received");
  judge_rate(nic.sent, "nic-send", "sent");
  const auto judge_count = [&](std::int64_t count, const char* code, const std::string& what) {
    if (count <= 0) return;
    found.push_back({code, nic.name, 0, nic.name + " " + what + " " + std::to_string(count) + " times"});
  };
  judge_count(nic.carrier_changes / 2, "link-lost", "lost its link");
  judge_count(std::max(nic.errors, nic.crc_errors), "nic-errors", "got damaged frames");
  judge_count(nic.drops, "nic-drops", "dropped packets");
  const double pauses = static_cast<double>(nic.pause_frames_received.value_or(0)) / length.count();
  if (pauses >= limits.pause_frames_per_second) {
    found.push_back({"pause-frames", nic.name, 0,
                     "the other end asked " + nic.name + " to stop sending " +
                         std::to_string(static_cast<int>(pauses)) + " times a second"});
  }
}

void judge_disks(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  const bool knows_local = std::any_of(observation.disks.begin(), observation.disks.end(),
                                       [](const auto& disk) { return disk.holds_local_files; });
  for (const auto& disk : observation.disks) {
    if (disk.busy < limits.disk_busy) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s was busy %s with %.1f requests in flight", disk.name.c_str(),
                  percent(disk.busy).c_str(), disk.in_flight);
    found.push_back(
        {knows_local && !disk.holds_local_files ? "other-disk" : "disk", disk.name, disk.busy, text});
  }
}

bool sends_at_full_link(const Saturations& found) {
  return std::any_of(found.begin(), found.end(),
                     [](const Saturation& item) { return item.code == "nic-send"; });
}

void judge_sockets(const evidence::SocketActivity& sockets, const SaturationLimits& limits,
                   Saturations& found) {
  const std::string whose = sockets.group == "mount" ? "the mount's connection" : "our connection";
  const auto add = [&](const char* code, double share, std::string text) {
    found.push_back({code, sockets.group, share, std::move(text)});
  };
  const double lost = sockets.segments_sent > 0 ? static_cast<double>(sockets.retransmits) /
                                                      static_cast<double>(sockets.segments_sent)
                                                : 0;
  if (lost >= limits.retransmits && sockets.retransmits > 10) {
    add("retransmits", lost, whose + " sent " + percent(lost) + " of its segments again");
  }
  if (sockets.sent < limits.moving) return;
  if (sockets.receive_window_limited.value_or(0) >= limits.receive_window && !sends_at_full_link(found)) {
    add("receive-window", *sockets.receive_window_limited,
        whose + " waited for the receive window " + percent(*sockets.receive_window_limited) +
            " of the time");
  } else if (sockets.minimum_peer_window && *sockets.minimum_peer_window <= limits.nearly_closed_window) {
    add("window-closed", 1,
        whose + " found the receiver's window closed at times: the receiver reads too slowly");
  }
  if (sockets.send_buffer_limited.value_or(0) >= limits.send_buffer) {
    add("send-buffer", *sockets.send_buffer_limited,
        whose + " waited for send buffer space " + percent(*sockets.send_buffer_limited) + " of the time");
  }
  if (sockets.busy && *sockets.busy < limits.sender_busy) {
    add("sender-idle", 1 - *sockets.busy,
        whose + " had data to send only " + percent(*sockets.busy) + " of the time: what feeds it is slower");
  }
}

void judge_mount(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  if (!observation.mount || !observation.mount->nfs) return;
  const filebench::NfsCounters& nfs = *observation.mount->nfs;
  const auto sends = static_cast<double>(nfs.transport.sends);
  if (sends > 0 && static_cast<double>(nfs.transport.backlog_sum) / sends >= limits.waiting_requests) {
    char text[160];
    std::snprintf(text, sizeof text, "on average %.1f requests waited for a free slot of the mount's %s",
                  static_cast<double>(nfs.transport.backlog_sum) / sends,
                  nfs.transport.connections > 1 ? "connections" : "only connection");
    found.push_back({"mount-slots", "mount", 1, text});
  }
  std::int64_t operations = 0;
  for (const auto& operation : nfs.operations) operations += operation.operations;
  const std::int64_t again = nfs.retransmissions();
  if (operations == 0) return;
  const double share = static_cast<double>(again) / static_cast<double>(operations);
  if (share >= limits.request_retransmits) {
    found.push_back(
        {"mount-retransmits", "mount", share,
         "the mount sent " + std::to_string(again) + " requests again because no answer came in time"});
  }
}

void judge_memory(const Observation& observation, const SaturationLimits& limits, Saturations& found) {
  const auto& memory = observation.memory;
  if (memory.at_dirty_limit >= limits.dirty_limit) {
    std::string text = "writers were held back " + percent(memory.at_dirty_limit) + " of the time";
    if (memory.dirty_limit)
      text += " because " + measure::to_text(*memory.dirty_limit) + " may be unwritten at most";
    found.push_back({"dirty-limit", "memory", memory.at_dirty_limit, text});
  }
  const double waited = observation.pressure.memory_some.value_or(0);
  if (waited >= limits.memory_pressure) {
    found.push_back(
        {"memory", "memory", waited, "programs waited for memory " + percent(waited) + " of the time"});
  }
}

}  // namespace

Saturations saturations_in(const Observation& observation, const SaturationLimits& limits) {
  Saturations found;
  if (observation.length <= measure::Seconds(0)) return found;
  judge_restrictions(observation, limits, found);
  judge_threads(observation, limits, found);
  judge_turns(observation, limits, found);
  judge_cores(observation, limits, found);
  for (const auto& nic : observation.nics) judge_nic(nic, limits, observation.length, found);
  judge_disks(observation, limits, found);
  for (const auto& sockets : observation.sockets) judge_sockets(sockets, limits, found);
  if (const auto drops = observation.tcp.softnet_drops.value_or(0); drops > 0) {
    found.push_back({"softnet-drops", "kernel", 0,
                     "the kernel dropped " + std::to_string(drops) + " packets that it had no time for"});
  }
  judge_mount(observation, limits, found);
  judge_memory(observation, limits, found);
  return found;
}

}  // namespace nasdiag::observe
