#pragma once

// What a link can carry as TCP payload: the `link` capacity of the verdict. Pure functions.

#include <diagnose/evidence/facts.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::facts {

struct FramingOptions {
  std::optional<int> mtu;  // of the way, where it is smaller than the interface's
  bool ipv6 = false;
  bool operator==(const FramingOptions&) const = default;
};

// One interface: the negotiated speed less framing, and no more than its USB or PCIe bus carries. No rate if
// the speed is unknown (paravirtual, veth, Wi-Fi, tunnel, loopback) and the bus is no limit either.
evidence::LinkPayload link_payload(const evidence::Nic& nic, const FramingOptions& options = {});

// What one stream gets on the route's stack: the slowest interface that must be passed; of a bond, one of the
// members that are up (the slowest, as it isn't known which). `mount_route` too is asked this way.
evidence::LinkPayload route_payload(const evidence::RouteFacts& route,
                                    const std::vector<evidence::Nic>& nics);

// What a bus carries as TCP payload. Nothing if its speed is unknown.
evidence::LinkPayload usb_payload(const evidence::UsbBus& bus);
evidence::LinkPayload pcie_payload(std::optional<double> gigatransfers, std::optional<int> lanes);

}  // namespace nasdiag::facts
