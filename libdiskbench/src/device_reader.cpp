#include "device_reader.hpp"

#include <algorithm>
#include <charconv>
#include <regex>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

namespace fs = std::filesystem;
using measure::ByteCount;
using measure::DataRate;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    result.push_back(entry->path());
  std::sort(result.begin(), result.end());
  return result;
}

DeviceKind kind_of_mapper(const fs::path& folder) {
  const std::string id = line_of(folder / "dm/uuid").value_or("");
  if (id.starts_with("LVM-")) return DeviceKind::lvm;
  if (id.starts_with("CRYPT-")) return DeviceKind::crypt;
  if (id.starts_with("mpath-")) return DeviceKind::multipath;
  return DeviceKind::device_mapper;
}

DeviceKind kind_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (is_there(folder / "partition")) return DeviceKind::partition;
  if (is_there(folder / "dm")) return kind_of_mapper(folder);
  if (is_there(folder / "md")) return DeviceKind::raid;
  if (is_there(folder / "loop") || name.starts_with("loop")) return DeviceKind::loop;
  if (name.starts_with("bcache")) return DeviceKind::bcache;
  if (name.starts_with("ram") || name.starts_with("zram") || name.starts_with("pmem"))
    return DeviceKind::memory;
  return DeviceKind::disk;
}

std::optional<ByteCount> bytes_of(const fs::path& file, std::int64_t unit) {
  const auto number = number_of(file);
  if (!number) return std::nullopt;
  return ByteCount::bytes(*number * unit);
}

std::optional<bool> flag_of(const fs::path& file) {
  const auto number = number_of(file);
  if (!number) return std::nullopt;
  return *number != 0;
}

// "none [mq-deadline] kyber": the one in brackets.
std::string chosen_of(const std::string& line) {
  const auto open = line.find('[');
  const auto close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return line;
  return line.substr(open + 1, close - open - 1);
}

void read_queue(const fs::path& queue, BlockDevice& device) {
  device.rotational = flag_of(queue / "rotational");
  device.polling = flag_of(queue / "io_poll");
  if (const auto cache = line_of(queue / "write_cache")) device.write_back_cache = *cache == "write back";
  device.scheduler = chosen_of(line_of(queue / "scheduler").value_or(""));
  if (const auto requests = number_of(queue / "nr_requests"))
    device.queue_requests = static_cast<unsigned>(*requests);
  device.largest_request = bytes_of(queue / "max_sectors_kb", 1024);
  device.logical_block = bytes_of(queue / "logical_block_size", 1);
  device.physical_block = bytes_of(queue / "physical_block_size", 1);
}

std::string transport_of(const std::string& path) {
  for (const auto& [part, transport] : {std::pair{"/usb", "usb"},
                                        {"/nvme", "nvme"},
                                        {"/ata", "sata"},
                                        {"/virtio", "virtio"},
                                        {"/mmc", "mmc"}})
    if (path.find(part) != std::string::npos) return transport;
  return {};
}

std::optional<double> leading_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  double value = 0;
  if (std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

// "6.0 Gbps", 8 data bits in 10.
std::optional<DataRate> sata_link(const SysTree& tree, const std::string& path) {
  std::smatch match;
  static const std::regex kPort("/ata([0-9]+)/");
  if (!std::regex_search(path, match, kPort)) return std::nullopt;
  const auto gigabits =
      leading_number(line_of(tree.at("/sys/class/ata_link/link" + match[1].str()) / "sata_spd"));
  if (!gigabits) return std::nullopt;
  return DataRate::megabits_per_second(*gigabits * 1000 * 0.8);
}

// The nearest folder above with a file of that name.
std::optional<fs::path> above_with(fs::path folder, const fs::path& root, const char* file) {
  while (folder.native().size() > root.native().size() && folder.has_relative_path()) {
    if (is_there(folder / file)) return folder;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

// Transfers a second and lane: 8 data bits in 10 up to 5 GT/s, 128 in 130 above.
std::optional<DataRate> pci_link(const fs::path& folder, const fs::path& root) {
  const auto card = above_with(folder, root, "current_link_speed");
  if (!card) return std::nullopt;
  const auto transfers = leading_number(line_of(*card / "current_link_speed"));
  const auto lanes = number_of(*card / "current_link_width");
  if (!transfers || !lanes || *lanes <= 0) return std::nullopt;
  const double share = *transfers > 5 ? 128.0 / 130.0 : 0.8;
  return DataRate::megabits_per_second(*transfers * 1000 * share * static_cast<double>(*lanes));
}

std::optional<DataRate> usb_link(const fs::path& folder, const fs::path& root) {
  const auto port = above_with(folder, root, "speed");
  if (!port) return std::nullopt;
  const auto megabits = leading_number(line_of(*port / "speed"));
  if (!megabits) return std::nullopt;
  return DataRate::megabits_per_second(*megabits);
}

void read_link(const SysTree& tree, const fs::path& folder, BlockDevice& device) {
  const std::string path = folder.string();
  device.transport = transport_of(path);
  if (device.transport == "sata") device.link = sata_link(tree, path);
  if (device.transport == "nvme") device.link = pci_link(folder, tree.at("/sys"));
  if (device.transport == "usb") device.link = usb_link(folder, tree.at("/sys"));
}

std::optional<double> temperature_of(const fs::path& device) {
  for (const fs::path& place : {device / "hwmon", device})
    for (const fs::path& monitor : entries(place))
      if (monitor.filename().string().starts_with("hwmon"))
        if (const auto millidegrees = number_of(monitor / "temp1_input"))
          return static_cast<double>(*millidegrees) / 1000;
  return std::nullopt;
}

std::string backing_of(const fs::path& folder) {
  if (const auto file = line_of(folder / "loop/backing_file")) return *file;
  return line_of(folder / "dm/name").value_or("");
}

}  // namespace

BlockDevice read_device(const SysTree& tree, const fs::path& folder) {
  constexpr std::int64_t kSector = 512;
  BlockDevice device;
  device.name = folder.filename().string();
  device.kind = kind_of(folder);
  device.size = bytes_of(folder / "size", kSector).value_or(ByteCount());
  device.read_only = flag_of(folder / "ro");
  device.backing = backing_of(folder);
  if (device.kind == DeviceKind::partition) {
    read_queue(folder.parent_path() / "queue", device);
    return device;
  }
  read_queue(folder / "queue", device);
  device.model = line_of(folder / "device/model").value_or("");
  if (device.kind == DeviceKind::disk) read_link(tree, folder, device);
  device.temperature_celsius = temperature_of(folder / "device");
  return device;
}

std::vector<std::string> devices_below(const fs::path& folder) {
  if (is_there(folder / "partition")) return {folder.parent_path().filename().string()};
  std::vector<std::string> names;
  for (const fs::path& member : entries(folder / "slaves")) names.push_back(member.filename().string());
  return names;
}

}  // namespace nasdiag::diskbench
