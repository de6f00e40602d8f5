#include <diagnose/facts/nic.hpp>
#include <diagnose/facts/text.hpp>

#include <algorithm>
#include <array>

namespace nasdiag::facts {

namespace fs = std::filesystem;
using evidence::Nic;
using evidence::NicKind;
using measure::DataRate;

namespace {

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// DEVTYPE of the uevent file: "vlan", "bond", "wlan", "wireguard" …
std::string device_type(const fs::path& folder) {
  const auto text = read_text(folder / "uevent");
  if (!text) return {};
  for (const std::string_view line : lines_of(*text)) {
    if (line.starts_with("DEVTYPE=")) return std::string(trimmed(line.substr(8)));
  }
  return {};
}

// Numbers of <linux/if_arp.h>: none (TUN, WireGuard), PPP, and the IP-in-IP, SIT and GRE tunnels.
bool is_tunnel_type(std::int64_t type) {
  static constexpr std::array<std::int64_t, 8> types{65534, 512, 768, 769, 776, 778, 823, 519};
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool is_paravirtual(const std::string& driver) {
  static constexpr std::array<const char*, 9> drivers{
      "virtio_net", "virtio", "vmxnet3", "xen_netfront", "vif", "hv_netvsc", "ena", "gve", "netvsc"};
  return std::find(drivers.begin(), drivers.end(), driver) != drivers.end();
}

bool has_lower(const Nic& nic) { return !nic.lower.empty(); }

// A veth's other end has an index of its own; every other interface without one below it names itself.
bool links_to_another(const fs::path& folder) {
  const auto own = read_integer(folder / "ifindex"), other = read_integer(folder / "iflink");
  return own && other && *own != *other;
}

NicKind kind_of(const fs::path& folder, const Nic& nic) {
  const std::int64_t type = read_integer(folder / "type").value_or(1);
  const std::string devtype = device_type(folder);
  if (type == 772) return NicKind::loopback;
  if (is_there(folder / "wireless") || is_there(folder / "phy80211") || devtype == "wlan")
    return NicKind::wifi;
  if (is_there(folder / "bridge")) return NicKind::bridge;
  if (is_there(folder / "bonding")) return NicKind::bond;
  if (devtype == "vlan") return NicKind::vlan;
  if (is_tunnel_type(type) || devtype == "wireguard" || devtype == "vxlan") return NicKind::tunnel;
  if (is_there(folder / "tun_flags")) return NicKind::tap;
  if (is_there(folder / "device")) {
    return nic.driver && is_paravirtual(*nic.driver) ? NicKind::paravirtual : NicKind::ethernet;
  }
  return !has_lower(nic) && links_to_another(folder) ? NicKind::veth : NicKind::other;
}

// The sum of several counters; those that are missing count as nothing, all missing is nothing.
std::optional<std::int64_t> sum_of(const fs::path& folder, std::initializer_list<const char*> names) {
  std::optional<std::int64_t> sum;
  for (const char* name : names) {
    if (const auto value = read_integer(folder / name)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

void read_counters(const fs::path& folder, Nic& nic) {
  nic.errors = sum_of(folder, {"rx_errors", "tx_errors"});
  nic.crc_errors = read_integer(folder / "rx_crc_errors");
  nic.drops = sum_of(folder, {"rx_missed_errors", "rx_fifo_errors"});
  nic.collisions = read_integer(folder / "collisions");
}

void read_interfaces_below(const fs::path& folder, Nic& nic) {
  std::size_t queues = 0;
  for (const std::string& name : names_in(folder)) {
    if (name.starts_with("lower_")) nic.lower.push_back(name.substr(6));
  }
  for (const std::string& name : names_in(folder / "queues")) queues += name.starts_with("rx-") ? 1U : 0U;
  if (queues > 0) nic.queues = static_cast<int>(queues);
}

// "8.0 GT/s PCIe"
std::optional<double> read_transfers(const fs::path& file) {
  const auto line = read_line(file);
  return line ? to_number<double>(*line) : std::nullopt;
}

// Lanes are 0 and speeds "Unknown" for a device that is on no real bus.
std::optional<int> read_lanes(const fs::path& file) {
  const auto lanes = read_integer(file);
  if (!lanes || *lanes <= 0 || *lanes > 32) return std::nullopt;
  return static_cast<int>(*lanes);
}

}  // namespace

std::vector<std::string> interface_names(const fs::path& root) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(root / "sys/class/net")) {
    if (is_there(root / "sys/class/net" / name / "ifindex")) names.push_back(name);
  }
  return names;
}

std::optional<evidence::UsbBus> read_usb_bus(const fs::path& device) {
  std::optional<evidence::UsbBus> bus;
  for (fs::path at = device; at.has_relative_path(); at = at.parent_path()) {
    // Only USB devices and hubs have both; the interface folder of the network function has neither.
    if (!is_there(at / "bDeviceClass") || !is_there(at / "speed")) continue;
    if (!bus) {
      bus.emplace();
      bus->version = read_line(at / "version").value_or("");
      bus->product = read_line(at / "product").value_or("");
    }
    const auto line = read_line(at / "speed");
    const auto megabits = line ? to_number<double>(*line) : std::nullopt;
    if (!megabits) continue;
    const DataRate speed = DataRate::megabits_per_second(*megabits);
    if (!bus->speed || speed < *bus->speed) bus->speed = speed;
  }
  return bus;
}

std::optional<evidence::PcieBus> read_pcie_bus(const fs::path& device) {
  for (fs::path at = device; at.has_relative_path(); at = at.parent_path()) {
    if (!is_there(at / "current_link_width")) continue;
    const evidence::PcieBus bus{.gigatransfers = read_transfers(at / "current_link_speed"),
                                .lanes = read_lanes(at / "current_link_width"),
                                .max_gigatransfers = read_transfers(at / "max_link_speed"),
                                .max_lanes = read_lanes(at / "max_link_width")};
    if (!bus.gigatransfers || !bus.lanes) return std::nullopt;
    return bus;
  }
  return std::nullopt;
}

void distrust_speed(Nic& nic) {
  if (nic.kind == NicKind::other && nic.driver == "veth") nic.kind = NicKind::veth;
  if (!nic.speed) return;
  const double megabits = nic.speed->megabits_per_second();
  const bool is_default = (nic.kind == NicKind::veth && megabits == 10000) ||
                          (nic.kind == NicKind::tap && (megabits == 10 || megabits == 10000)) ||
                          nic.kind == NicKind::tunnel || nic.kind == NicKind::wifi ||
                          nic.kind == NicKind::loopback;
  if (is_default) nic.speed.reset();
}

Nic read_nic(const std::string& name, const fs::path& root) {
  const fs::path folder = root / "sys/class/net" / name;
  Nic nic{.name = name};
  nic.driver = read_link_name(folder / "device/driver");
  read_interfaces_below(folder, nic);
  nic.kind = kind_of(folder, nic);
  if (const auto megabits = read_integer(folder / "speed"); megabits && *megabits > 0) {
    nic.speed = DataRate::megabits_per_second(static_cast<double>(*megabits));
  }
  distrust_speed(nic);
  nic.duplex = read_line(folder / "duplex");
  if (nic.duplex == "unknown") nic.duplex.reset();
  if (const auto mtu = read_integer(folder / "mtu")) nic.mtu = static_cast<int>(*mtu);
  nic.state = read_line(folder / "operstate");
  nic.carrier_changes = read_integer(folder / "carrier_changes");
  read_counters(folder / "statistics", nic);
  std::error_code error;
  const fs::path device = fs::canonical(folder / "device", error);
  if (!error) {
    nic.usb = read_usb_bus(device);
    if (!nic.usb) nic.pcie = read_pcie_bus(device);
  }
  return nic;
}

}  // namespace nasdiag::facts
