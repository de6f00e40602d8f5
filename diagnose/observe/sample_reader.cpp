#include <diagnose/facts/host.hpp>
#include <diagnose/facts/text.hpp>
#include <diagnose/observe/parse.hpp>
#include <diagnose/observe/sample_reader.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace nasdiag::observe {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_text = 4 << 20;

// Sensors of processors. Those of disks are left alone: reading them may wake a sleeping disk or cost
// milliseconds.
std::vector<fs::path> find_heat_sensors(const fs::path& root) {
  static constexpr std::array wanted{"coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal"};
  std::vector<fs::path> sensors;
  for (const std::string& zone : facts::names_in(root / "sys/class/thermal")) {
    if (zone.starts_with("thermal_zone")) sensors.push_back(root / "sys/class/thermal" / zone / "temp");
  }
  for (const std::string& device : facts::names_in(root / "sys/class/hwmon")) {
    const fs::path folder = root / "sys/class/hwmon" / device;
    const auto name = facts::read_line(folder / "name");
    if (!name || std::find(wanted.begin(), wanted.end(), *name) == wanted.end()) continue;
    for (const std::string& file : facts::names_in(folder)) {
      if (file.starts_with("temp") && file.ends_with("_input")) sensors.push_back(folder / file);
    }
  }
  return sensors;
}

std::vector<fs::path> find_throttle_counts(const fs::path& root) {
  std::vector<fs::path> counts;
  for (const std::string& core : facts::names_in(root / "sys/devices/system/cpu")) {
    const fs::path file = root / "sys/devices/system/cpu" / core / "thermal_throttle/core_throttle_count";
    if (facts::read_integer(file)) counts.push_back(file);
  }
  return counts;
}

ByteCount page_size() { return ByteCount::bytes(::sysconf(_SC_PAGESIZE)); }

}  // namespace

OpenFile::OpenFile(const fs::path& file) : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
OpenFile::OpenFile(OpenFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
OpenFile::~OpenFile() {
  if (file_ >= 0) ::close(file_);
}

std::string_view OpenFile::read(std::string& buffer) const {
  if (file_ < 0) return {};
  if (buffer.size() < 16384) buffer.resize(16384);
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got =
        ::pread(file_, buffer.data() + filled, buffer.size() - filled, static_cast<off_t>(filled));
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled == buffer.size()) {
      if (buffer.size() >= most_text) break;
      buffer.resize(buffer.size() * 2);
    }
  }
  return std::string_view(buffer).substr(0, filled);
}

SampleReader::SampleReader(SampleReaderOptions options)
    : options_(std::move(options)),
      stat_(options_.root / "proc/stat"),
      net_dev_(options_.root / "proc/net/dev"),
      diskstats_(options_.root / "proc/diskstats"),
      meminfo_(options_.root / "proc/meminfo"),
      vmstat_(options_.root / "proc/vmstat"),
      snmp_(options_.root / "proc/net/snmp"),
      netstat_(options_.root / "proc/net/netstat"),
      softnet_(options_.root / "proc/net/softnet_stat"),
      cpu_pressure_(options_.root / "proc/pressure/cpu"),
      io_pressure_(options_.root / "proc/pressure/io"),
      memory_pressure_(options_.root / "proc/pressure/memory"),
      heat_sensors_(find_heat_sensors(options_.root)),
      throttle_counts_(find_throttle_counts(options_.root)) {}

void SampleReader::read_fast(Sample& sample) {
  sample.cores = parse_cpu_times(stat_.read(buffer_));
  sample.nics = parse_net_dev(net_dev_.read(buffer_));
  sample.disks = parse_diskstats(diskstats_.read(buffer_));
  const auto limit = sample.memory.dirty_limit;
  sample.memory = parse_memory(meminfo_.read(buffer_));
  sample.memory.dirty_limit = limit;
}

void SampleReader::read_gauges(Sample& sample) {
  if (const auto pages = parse_dirty_threshold(vmstat_.read(buffer_)))
    sample.memory.dirty_limit = page_size() * *pages;
  sample.heat = read_heat();
}

void SampleReader::read_counters(Sample& sample) {
  sample.net = parse_net_counters(snmp_.read(buffer_));
  sample.net.merge(parse_net_counters(netstat_.read(buffer_)));
  if (const auto text = softnet_.read(buffer_); !text.empty()) sample.softnet = parse_softnet(text);
  sample.cpu_pressure = parse_pressure_totals(cpu_pressure_.read(buffer_));
  sample.io_pressure = parse_pressure_totals(io_pressure_.read(buffer_));
  sample.memory_pressure = parse_pressure_totals(memory_pressure_.read(buffer_));
  sample.nic_extras = read_nic_extras();
  sample.quotas.clear();
  for (const fs::path& group : groups_) {
    const auto text = facts::read_text(group / "cpu.stat");
    if (!text) continue;
    QuotaCounters quota = parse_quota(*text);
    quota.group = group.filename().string();
    quota.quota_cores = facts::cpu_quota(group);
    sample.quotas.push_back(std::move(quota));
  }
  if (const auto text = facts::read_text(options_.root / "proc/cpuinfo"))
    sample.megahertz = parse_megahertz(*text);
}

std::vector<NicExtras> SampleReader::read_nic_extras() const {
  std::vector<NicExtras> all;
  for (const std::string& name : options_.nics) {
    const fs::path folder = options_.root / "sys/class/net" / name;
    NicExtras extras{.name = name,
                     .crc_errors = facts::read_integer(folder / "statistics/rx_crc_errors"),
                     .carrier_changes = facts::read_integer(folder / "carrier_changes")};
    if (options_.ask_kernel) {
      const PauseFrames pause = pause_.read(name);
      extras.pause_received = pause.received;
      extras.pause_sent = pause.sent;
    }
    all.push_back(std::move(extras));
  }
  return all;
}

HeatGauges SampleReader::read_heat() {
  HeatGauges heat;
  for (const fs::path& sensor : heat_sensors_) {
    const auto millidegrees = facts::read_integer(sensor);
    if (!millidegrees) continue;
    const double celsius = static_cast<double>(*millidegrees) / 1e3;
    if (!heat.celsius || celsius > *heat.celsius) heat.celsius = celsius;
  }
  for (const fs::path& file : throttle_counts_) {
    if (const auto count = facts::read_integer(file))
      heat.throttle_events = heat.throttle_events.value_or(0) + *count;
  }
  return heat;
}

void SampleReader::follow_groups_of(const std::vector<int>& processes) {
  groups_.clear();
  for (const int process : processes) {
    const auto text = facts::read_text(options_.root / "proc" / std::to_string(process) / "cgroup");
    const auto group = text ? facts::cpu_group_folder(options_.root, *text) : std::nullopt;
    if (group && std::find(groups_.begin(), groups_.end(), *group) == groups_.end())
      groups_.push_back(*group);
  }
}

}  // namespace nasdiag::observe
