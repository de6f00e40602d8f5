#pragma once

// Network interfaces as /sys/class/net tells of them.

#include <diagnose/evidence/facts.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::facts {

// All interfaces of this network namespace, by name.
std::vector<std::string> interface_names(const std::filesystem::path& root);

// One interface. Everything is optional: an unknown name gives a Nic with a name.
evidence::Nic read_nic(const std::string& name, const std::filesystem::path& root);

// The bus that a network device hangs on, from its folder below sys/devices (with links resolved).
std::optional<evidence::UsbBus> read_usb_bus(const std::filesystem::path& device);
std::optional<evidence::PcieBus> read_pcie_bus(const std::filesystem::path& device);

// Takes back the speeds that mean nothing: 10000 of a veth, the default of a TAP, whatever a paravirtual
// interface claims as -1. Needs the driver's name for a veth that sysfs doesn't show as one.
void distrust_speed(evidence::Nic& nic);

}  // namespace nasdiag::facts
