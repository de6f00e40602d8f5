#include <diagnose/facts/host.hpp>
#include <diagnose/facts/text.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace nasdiag::facts {

namespace fs = std::filesystem;

namespace {

// Key and value of "model name\t: AMD EPYC".
std::pair<std::string_view, std::string_view> key_and_value(std::string_view line, char separator) {
  const std::size_t at = line.find(separator);
  if (at == std::string_view::npos) return {trimmed(line), {}};
  return {trimmed(line.substr(0, at)), trimmed(line.substr(at + 1))};
}

bool has_word(std::string_view text, std::string_view word) {
  const auto words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<std::string> common_governor(const fs::path& root, const std::vector<int>& cores) {
  std::set<std::string> seen;
  for (const int core : cores) {
    const fs::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core));
    if (const auto governor = read_line(folder / "cpufreq/scaling_governor")) seen.insert(*governor);
  }
  if (seen.empty()) return std::nullopt;
  return seen.size() == 1 ? *seen.begin() : "mixed";
}

void read_cpu(const fs::path& root, evidence::HostFacts& host, const CpuInfo& info) {
  host.cpu_model = info.model;
  host.aes = info.aes;
  std::vector<int> online;
  if (const auto list = read_line(root / "sys/devices/system/cpu/online")) online = parse_cpu_list(*list);
  if (!online.empty()) {
    host.cores = static_cast<int>(online.size());
  } else if (info.processors > 0) {
    host.cores = info.processors;
  }
  if (online.empty()) online = {0};
  const fs::path clock =
      root / "sys/devices/system/cpu" / ("cpu" + std::to_string(online.front())) / "cpufreq";
  host.governor = common_governor(root, online);
  host.clock_driver = read_line(clock / "scaling_driver");
  if (const auto khz = read_integer(clock / "cpuinfo_max_freq"))
    host.cpu_max_mhz = static_cast<double>(*khz) / 1e3;
}

void read_memory(const fs::path& root, evidence::HostFacts& host) {
  const auto text = read_text(root / "proc/meminfo");
  if (!text) return;
  const auto memory = parse_meminfo(*text);
  const auto value = [&](std::string_view key) -> std::optional<measure::ByteCount> {
    const auto found = memory.find(key);
    if (found == memory.end()) return std::nullopt;
    return found->second;
  };
  host.memory = value("MemTotal");
  host.memory_available = value("MemAvailable");
  const auto swap = value("SwapTotal"), swap_free = value("SwapFree");
  if (swap && swap_free) host.swap_used = *swap - *swap_free;
}

std::optional<double> read_pressure(const fs::path& file) {
  const auto text = read_text(file);
  return text ? parse_pressure(*text) : std::nullopt;
}

// What the firmware calls the machine, for the hypervisors that say so.
std::optional<std::string> hypervisor_of_firmware(const fs::path& root) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> known{
      {{"QEMU", "qemu"},
       {"KVM", "kvm"},
       {"VMware", "vmware"},
       {"VirtualBox", "virtualbox"},
       {"innotek", "virtualbox"},
       {"Xen", "xen"},
       {"Microsoft Corporation", "hyperv"},
       {"Amazon EC2", "amazon"},
       {"Google Compute", "google"},
       {"Parallels", "parallels"}}};
  for (const char* file : {"sys_vendor", "product_name", "bios_vendor"}) {
    const auto text = read_line(root / "sys/class/dmi/id" / file);
    if (!text) continue;
    for (const auto& [word, name] : known) {
      // Microsoft also builds hardware: its vendor name counts only beside the processor's own word.
      if (text->find(word) != std::string::npos) return std::string(name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> virtualisation(const fs::path& root, const CpuInfo& cpu) {
  if (const auto type = read_line(root / "sys/hypervisor/type")) return *type;
  if (const auto tree = read_line(root / "proc/device-tree/hypervisor/compatible")) return *tree;
  auto firmware = hypervisor_of_firmware(root);
  if (cpu.hypervisor) return firmware.value_or("unknown hypervisor");
  if (cpu.x86) return "none";  // every hypervisor of x86 sets the flag
  if (firmware && *firmware != "hyperv") return firmware;
  return std::nullopt;
}

std::optional<std::string> container(const fs::path& root) {
  std::error_code error;
  if (fs::exists(root / ".dockerenv", error)) return "docker";
  if (fs::exists(root / "run/.containerenv", error)) return "podman";
  if (const auto word = read_line(root / "run/systemd/container")) return *word;
  if (const auto environment = read_text(root / "proc/1/environ")) {
    std::string_view text = *environment;
    if (!text.starts_with("container=")) {
      const std::size_t at = text.find(std::string_view("\0container=", 11));
      text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    }
    if (!text.empty()) return std::string(text.substr(10, text.find('\0') - 10));
  }
  if (const auto groups = read_text(root / "proc/1/cgroup")) {
    for (const char* word : {"docker", "kubepods", "lxc", "libpod"}) {
      if (groups->find(word) != std::string::npos) return word;
    }
  }
  return std::nullopt;
}

// The tightest limit of the process's group and those above it.
std::optional<double> tightest_quota(const fs::path& root) {
  const auto groups = read_text(root / "proc/self/cgroup");
  if (!groups) return std::nullopt;
  auto folder = cpu_group_folder(root, *groups);
  std::optional<double> tightest;
  const fs::path top = root / "sys/fs/cgroup";
  while (folder && *folder != top && folder->has_relative_path()) {
    const auto quota = cpu_quota(*folder);
    if (quota && (!tightest || *quota < *tightest)) tightest = quota;
    folder = folder->parent_path();
  }
  return tightest;
}

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  for (const std::string_view line : lines_of(text)) {
    const auto [key, value] = key_and_value(line, ':');
    if (key == "processor" && to_number(value)) ++info.processors;
    // "Model" and "Hardware" name the board on ARM, "cpu model" the processor on MIPS.
    if ((key == "model name" || key == "cpu model" || key == "Hardware" || key == "Model") && !info.model) {
      info.model = std::string(value);
    }
    if (key == "flags" || key == "Features") {
      info.aes = has_word(value, "aes");
      info.hypervisor = has_word(value, "hypervisor");
      info.x86 = key == "flags";
    }
  }
  return info;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cores;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = to_number<int>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number<int>(range.substr(dash + 1));
    if (!first || !last || *last - *first > 65536) continue;
    for (int core = *first; core <= *last; ++core) cores.push_back(core);
  }
  return cores;
}

std::map<std::string, measure::ByteCount, std::less<>> parse_meminfo(std::string_view text) {
  std::map<std::string, measure::ByteCount, std::less<>> values;
  for (const std::string_view line : lines_of(text)) {
    const auto [key, value] = key_and_value(line, ':');
    const auto number = to_count_of(value, 1024);
    if (!number) continue;
    values.emplace(key, value.ends_with("kB") ? measure::ByteCount::kibibytes(*number)
                                              : measure::ByteCount::bytes(*number));
  }
  return values;
}

std::optional<double> parse_pressure(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with("some ")) continue;
    const std::size_t at = line.find("avg10=");
    if (at == std::string_view::npos) return std::nullopt;
    const auto percent = to_number<double>(line.substr(at + 6));
    if (percent) return *percent / 100;
  }
  return std::nullopt;
}

std::optional<std::string> os_release_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : lines_of(text)) {
    auto [name, value] = key_and_value(line, '=');
    if (name != key) continue;
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return std::nullopt;
}

std::map<std::string, std::string, std::less<>> parse_cgroup(std::string_view text) {
  std::map<std::string, std::string, std::less<>> paths;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    paths.emplace(line.substr(first + 1, second - first - 1), line.substr(second + 1));
  }
  return paths;
}

std::optional<fs::path> cpu_group_folder(const fs::path& root, std::string_view cgroup_text) {
  const fs::path top = root / "sys/fs/cgroup";
  for (const auto& [controllers, path] : parse_cgroup(cgroup_text)) {
    const fs::path inside = fs::path(path).relative_path();
    std::vector<fs::path> candidates;
    if (controllers.empty()) candidates = {top / inside, top / "unified" / inside};
    if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      candidates = {top / controllers / inside, top / "cpu" / inside};
    for (const fs::path& candidate : candidates) {
      const auto statistics = read_text(candidate / "cpu.stat");
      if (statistics && statistics->find("nr_throttled") != std::string::npos) return candidate;
    }
  }
  return std::nullopt;
}

std::optional<double> cpu_quota(const fs::path& folder) {
  if (const auto both = read_line(folder / "cpu.max")) {
    const auto words = words_of(*both);
    if (words.size() < 2) return std::nullopt;
    const auto quota = to_number<double>(words[0]), period = to_number<double>(words[1]);
    if (quota && period && *period > 0) return *quota / *period;
    return std::nullopt;
  }
  const auto quota = read_integer(folder / "cpu.cfs_quota_us"),
             period = read_integer(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

evidence::HostFacts read_host(const fs::path& root) {
  evidence::HostFacts host;
  host.name = read_line(root / "proc/sys/kernel/hostname").value_or("");
  host.kernel = read_line(root / "proc/sys/kernel/osrelease");
  if (const auto release = read_text(root / "etc/os-release")) {
    host.operating_system = os_release_value(*release, "PRETTY_NAME");
  }
  const auto cpu_text = read_text(root / "proc/cpuinfo");
  const CpuInfo cpu = cpu_text ? parse_cpuinfo(*cpu_text) : CpuInfo();
  read_cpu(root, host, cpu);
  read_memory(root, host);
  host.virtualisation = virtualisation(root, cpu);
  host.container = container(root);
  host.cpu_quota_cores = tightest_quota(root);
  host.cpu_pressure = read_pressure(root / "proc/pressure/cpu");
  host.io_pressure = read_pressure(root / "proc/pressure/io");
  host.memory_pressure = read_pressure(root / "proc/pressure/memory");
  host.clock_source = read_line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  return host;
}

}  // namespace nasdiag::facts
