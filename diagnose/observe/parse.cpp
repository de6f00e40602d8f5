#include <diagnose/facts/text.hpp>
#include <diagnose/observe/parse.hpp>

#include <algorithm>
#include <cstring>

namespace nasdiag::observe {

using facts::lines_of;
using facts::to_count;
using facts::to_count_of;
using facts::to_number;
using facts::trimmed;
using facts::words_of;

namespace {

constexpr std::int64_t largest_page = 65536;

std::int64_t number_at(const std::vector<std::string_view>& words, std::size_t index) {
  return index < words.size() ? to_count(words[index]).value_or(0) : 0;
}

bool is_partition(std::string_view name) {
  const bool numbered_disk = name.starts_with("nvme") || name.starts_with("mmcblk");
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size()) return false;
  if (numbered_disk) return name[digits] == 'p';
  return name.starts_with("sd") || name.starts_with("vd") || name.starts_with("hd") ||
         name.starts_with("xvd");
}

std::optional<std::int64_t> total_of(std::string_view line) {
  const std::size_t at = line.find("total=");
  return at == std::string_view::npos ? std::nullopt : to_count(line.substr(at + 6));
}

std::int64_t hexadecimal(std::string_view word) {
  std::int64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return value;
}

// Offsets in struct tcp_info that never change; later kernels only append.
class TcpInfoBytes {
 public:
  explicit TcpInfoBytes(std::span<const unsigned char> bytes) : bytes_(bytes) {}

  std::int64_t small(std::size_t offset) const { return get<std::uint32_t>(offset).value_or(0); }
  std::optional<std::int64_t> small_if_there(std::size_t offset) const {
    return as_signed(get<std::uint32_t>(offset));
  }
  std::optional<std::int64_t> large_if_there(std::size_t offset) const {
    return as_signed(get<std::uint64_t>(offset));
  }

 private:
  template <class T>
  std::optional<T> get(std::size_t offset) const {
    if (offset + sizeof(T) > bytes_.size()) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  template <class T>
  static std::optional<std::int64_t> as_signed(std::optional<T> value) {
    if (!value) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

  std::span<const unsigned char> bytes_;
};

std::optional<std::chrono::microseconds> microseconds(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return std::chrono::microseconds(*value);
}

std::optional<ByteCount> bytes(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return ByteCount::bytes(*value);
}

}  // namespace

std::vector<CpuTimes> parse_cpu_times(std::string_view stat) {
  std::vector<CpuTimes> cores;
  // The lines of the cores come first; the interrupt line that follows is thousands of characters long.
  while (stat.starts_with("cpu")) {
    const std::string_view line = stat.substr(0, stat.find('\n'));
    stat.remove_prefix(std::min(line.size() + 1, stat.size()));
    const auto words = words_of(line);
    const auto core = to_number<int>(words[0].substr(3));
    if (!core) continue;  // the sum of all
    cores.push_back({.core = *core,
                     .user = number_at(words, 1),
                     .nice = number_at(words, 2),
                     .system = number_at(words, 3),
                     .idle = number_at(words, 4),
                     .iowait = number_at(words, 5),
                     .irq = number_at(words, 6),
                     .softirq = number_at(words, 7),
                     .steal = number_at(words, 8)});
  }
  return cores;
}

std::vector<NicCounters> parse_net_dev(std::string_view text) {
  std::vector<NicCounters> nics;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) continue;  // the two heading lines
    const auto words = words_of(line.substr(colon + 1));
    if (words.size() < 16) continue;
    nics.push_back({.name = std::string(trimmed(line.substr(0, colon))),
                    .received_bytes = number_at(words, 0),
                    .received_packets = number_at(words, 1),
                    .received_errors = number_at(words, 2),
                    .received_drops = number_at(words, 3) + number_at(words, 4),
                    .sent_bytes = number_at(words, 8),
                    .sent_packets = number_at(words, 9),
                    .sent_errors = number_at(words, 10),
                    .sent_drops = number_at(words, 11),
                    .collisions = number_at(words, 13)});
  }
  return nics;
}

std::vector<DiskCounters> parse_diskstats(std::string_view text) {
  std::vector<DiskCounters> disks;
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() < 14 || is_partition(words[2])) continue;
    const DiskCounters disk{.name = std::string(words[2]),
                            .reads = number_at(words, 3),
                            .sectors_read = number_at(words, 5),
                            .read_ms = number_at(words, 6),
                            .writes = number_at(words, 7),
                            .sectors_written = number_at(words, 9),
                            .write_ms = number_at(words, 10),
                            .busy_ms = number_at(words, 12),
                            .weighted_ms = number_at(words, 13)};
    const bool pseudo =
        disk.name.starts_with("loop") || disk.name.starts_with("ram") || disk.name.starts_with("zram");
    if (pseudo && disk.reads + disk.writes == 0) continue;
    disks.push_back(disk);
  }
  return disks;
}

NetCounters parse_net_counters(std::string_view text) {
  NetCounters counters;
  std::vector<std::string_view> names;
  for (const std::string_view line : lines_of(text)) {
    auto words = words_of(line);
    if (words.empty()) continue;
    const bool is_second_line = !names.empty() && names[0] == words[0];
    if (!is_second_line) {
      names = std::move(words);
      continue;
    }
    const std::string group(words[0].substr(0, words[0].find(':')));
    for (std::size_t i = 1; i < std::min(names.size(), words.size()); ++i) {
      if (const auto value = to_count(words[i])) counters[group + "." + std::string(names[i])] = *value;
    }
    names.clear();
  }
  return counters;
}

SoftnetCounters parse_softnet(std::string_view text) {
  SoftnetCounters sum;
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() < 3) continue;
    sum.dropped += hexadecimal(words[1]);
    sum.squeezed += hexadecimal(words[2]);
  }
  return sum;
}

PressureTotals parse_pressure_totals(std::string_view text) {
  PressureTotals totals;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("some ")) totals.some = microseconds(total_of(line));
    if (line.starts_with("full ")) totals.full = microseconds(total_of(line));
  }
  return totals;
}

MemoryGauges parse_memory(std::string_view meminfo) {
  MemoryGauges memory;
  for (const std::string_view line : lines_of(meminfo)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    auto* place = key == "MemAvailable" ? &memory.available
                  : key == "Dirty"      ? &memory.dirty
                  : key == "Writeback"  ? &memory.writeback
                                        : nullptr;
    if (place == nullptr) continue;
    if (const auto kibibytes = to_count_of(trimmed(line.substr(colon + 1)), 1024))
      *place = ByteCount::kibibytes(*kibibytes);
  }
  return memory;
}

std::optional<std::int64_t> parse_dirty_threshold(std::string_view vmstat) {
  constexpr std::string_view key = "nr_dirty_threshold ";
  const std::size_t at = vmstat.find(key);
  return at == std::string_view::npos ? std::nullopt
                                      : to_count_of(vmstat.substr(at + key.size()), largest_page);
}

QuotaCounters parse_quota(std::string_view text) {
  QuotaCounters quota;
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() != 2) continue;
    if (words[0] == "nr_periods") quota.periods = number_at(words, 1);
    if (words[0] == "nr_throttled") quota.throttled = number_at(words, 1);
  }
  return quota;
}

std::optional<TaskCounters> parse_task(std::string_view text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto id = to_number<int>(text);
  const auto words = words_of(text.substr(close + 1));
  if (!id || words.size() < 20) return std::nullopt;
  constexpr std::int64_t kernel_thread_flag = 0x00200000;  // PF_KTHREAD
  return TaskCounters{.id = *id,
                      .parent = static_cast<int>(number_at(words, 1)),
                      .name = std::string(text.substr(open + 1, close - open - 1)),
                      .state = words[0].front(),
                      .kernel_thread = (number_at(words, 6) & kernel_thread_flag) != 0,
                      .user_ticks = number_at(words, 11),
                      .system_ticks = number_at(words, 12),
                      .start_ticks = number_at(words, 19)};
}

std::map<int, double> parse_megahertz(std::string_view cpuinfo) {
  std::map<int, double> megahertz;
  int core = -1;
  for (const std::string_view line : lines_of(cpuinfo)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    if (key == "processor") core = to_number<int>(value).value_or(-1);
    if (key == "cpu MHz" && core >= 0) {
      if (const auto number = to_number<double>(value)) megahertz[core] = *number;
    }
  }
  return megahertz;
}

std::optional<TcpInfo> parse_tcp_info(std::span<const unsigned char> raw) {
  constexpr std::size_t oldest = 104;
  if (raw.size() < oldest) return std::nullopt;
  const TcpInfoBytes info(raw);
  return TcpInfo{.state = raw[0],
                 .segment_size = info.small(16),
                 .path_mtu = info.small(60),
                 .congestion_window = info.small(80),
                 .total_retransmits = info.small(100),
                 .rtt = std::chrono::microseconds(info.small(68)),
                 .minimum_rtt = microseconds(info.small_if_there(148)),
                 .busy = microseconds(info.large_if_there(168)),
                 .receive_window_limited = microseconds(info.large_if_there(176)),
                 .send_buffer_limited = microseconds(info.large_if_there(184)),
                 .acknowledged = bytes(info.large_if_there(120)),
                 .received = bytes(info.large_if_there(128)),
                 .not_sent = bytes(info.small_if_there(144)),
                 .peer_window = bytes(info.small_if_there(228)),
                 .data_segments_sent = info.small_if_there(156)};
}

}  // namespace nasdiag::observe
