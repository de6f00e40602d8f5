#include "mountstats.hpp"

#include "text.hpp"

#include <algorithm>

namespace nasdiag::filebench {

namespace {

using Words = std::vector<std::string_view>;

std::int64_t value_at(const Words& words, std::size_t index) {
  return index < words.size() ? number(words[index]).value_or(0) : 0;
}

ByteCount bytes_at(const Words& words, std::size_t index) { return ByteCount::bytes(value_at(words, index)); }

std::chrono::milliseconds time_at(const Words& words, std::size_t index) {
  return std::chrono::milliseconds(value_at(words, index));
}

// "device SRC mounted on DIR with fstype TYPE [statvers=1.1]": words are escaped, so there are no blanks in
// them. An empty source leaves two blanks in a row, and one word less.
bool read_device_line(std::string_view line, MountStats& stats) {
  const std::size_t on = line.find(" mounted on ");
  const std::size_t with = line.find(" with fstype ");
  if (!line.starts_with("device ") || on == std::string_view::npos || with == std::string_view::npos ||
      with < on)
    return false;
  constexpr std::size_t kDevice = 7;
  stats.source = on > kDevice ? unescape_octal(line.substr(kDevice, on - kDevice)) : std::string();
  stats.mount_point = unescape_octal(line.substr(on + 12, with - on - 12));
  stats.type = word_after(line, " with fstype ");
  return true;
}

void read_events(const Words& words, NfsCounters& counters) {
  counters.data_invalidations = value_at(words, 3);  // the first word is the key
  counters.short_reads = value_at(words, 23);
  counters.short_writes = value_at(words, 24);
  counters.delays = value_at(words, 25);
}

void read_bytes(const Words& words, NfsCounters& counters) {
  counters.read_by_programs = bytes_at(words, 1);
  counters.written_by_programs = bytes_at(words, 2);
  counters.direct_read = bytes_at(words, 3);
  counters.direct_written = bytes_at(words, 4);
  counters.read_from_server = bytes_at(words, 5);
  counters.written_to_server = bytes_at(words, 6);
}

// One line a connection. What follows the protocol word depends on it; each layout is known by the place of
// `sends`, after which all are alike.
void read_transport(const Words& words, NfsTransport& transport) {
  if (words.size() < 2) return;
  const std::string_view protocol = words[1];
  std::size_t connects = 4;
  std::size_t sends = 7;
  if (protocol == "udp") connects = 0, sends = 4;
  if (protocol == "local") connects = 3, sends = 6;
  transport.protocol = protocol;
  ++transport.connections;
  if (connects != 0) transport.connects += value_at(words, connects);
  transport.sends += value_at(words, sends);
  transport.receives += value_at(words, sends + 1);
  transport.bad_xids += value_at(words, sends + 2);
  transport.in_flight_sum += value_at(words, sends + 3);
  transport.backlog_sum += value_at(words, sends + 4);
  if (protocol != "rdma") transport.max_slots = std::max(transport.max_slots, value_at(words, sends + 5));
}

void read_operation(const Words& words, NfsCounters& counters) {
  std::string_view name = words.front();
  name.remove_suffix(1);
  const NfsOperation operation{.name = std::string(name),
                               .operations = value_at(words, 1),
                               .transmissions = value_at(words, 2),
                               .timeouts = value_at(words, 3),
                               .sent = bytes_at(words, 4),
                               .received = bytes_at(words, 5),
                               .queue = time_at(words, 6),
                               .round_trip = time_at(words, 7),
                               .execute = time_at(words, 8),
                               .errors = value_at(words, 9)};  // absent before Linux 5.3
  if (operation.operations != 0 || operation.transmissions != 0) counters.operations.push_back(operation);
}

void read_line(std::string_view line, MountStats& stats, bool& in_operations) {
  const Words words = words_of(line);
  if (words.empty()) return;
  NfsCounters& counters = stats.counters;
  if (line.find("per-op statistics") != std::string_view::npos)
    in_operations = true;
  else if (in_operations && words.front().ends_with(':'))
    read_operation(words, counters);
  else if (words.front() == "opts:")
    stats.options = words.size() > 1 ? words[1] : std::string_view();
  else if (words.front() == "age:")
    counters.age = Seconds(static_cast<double>(value_at(words, 1)));
  else if (words.front() == "events:")
    read_events(words, counters);
  else if (words.front() == "bytes:")
    read_bytes(words, counters);
  else if (words.front() == "xprt:")
    read_transport(words, counters.transport);
}

}  // namespace

std::vector<MountStats> parse_mountstats(std::string_view text) {
  std::vector<MountStats> all;
  bool in_operations = false;
  bool nfs = false;
  for (const std::string_view line : lines_of(text)) {
    MountStats next;
    if (read_device_line(line, next)) {
      nfs = line.find(" statvers=") != std::string_view::npos;
      in_operations = false;
      if (nfs) all.push_back(next);
    } else if (nfs && !all.empty()) {
      read_line(line, all.back(), in_operations);
    }
  }
  return all;
}

const MountStats* find_mount_stats(const std::vector<MountStats>& all, std::string_view mount_point) {
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const MountStats& stats) { return stats.mount_point == mount_point; });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace nasdiag::filebench
