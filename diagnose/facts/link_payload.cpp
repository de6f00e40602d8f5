#include <diagnose/facts/link_payload.hpp>
#include <measure/quantity_text.hpp>
#include <netbench/plateau.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace nasdiag::facts {

using evidence::LinkPayload;
using evidence::Nic;
using evidence::NicKind;
using measure::DataRate;

namespace {

// Payload seen through USB network adapters at each bus speed, as low and high end. USB 2 and USB 5 Gbit/s
// come from reported cases (250 to 380 Mbit/s; 3.2 to 3.5 Gbit/s). The faster ones use 128b/132b coding, so
// 97 % of the raw rate instead of 80 %, and lose the same part of that to packets and turn-around.
struct UsbPlateau {
  double raw_megabits, low_megabits, high_megabits;
};
constexpr std::array<UsbPlateau, 5> usb_plateaus{
    {{12, 6, 9}, {480, 250, 380}, {5000, 3200, 3500}, {10000, 7700, 8500}, {20000, 15400, 17000}}};

// Of what the lanes carry, TLP headers and flow control take a part that depends on the payload size the slot
// allows (128 or 256 bytes): 77 % was seen on a PCIe 2.0 x1 slot (3070 of 4000 Mbit/s), 86 % is the
// arithmetic.
constexpr double pcie_share_low = 0.75, pcie_share = 0.80, pcie_share_high = 0.86;

// Frames on the line have 4 bytes more through a VLAN; that is 0.3 % and within the low end.
constexpr double framing_tolerance = 0.995;

LinkPayload unknown(std::string why) { return {.limited_by = "unknown", .formula = std::move(why)}; }

double lane_gigabits(double gigatransfers) {
  const double coding = gigatransfers < 8 ? 8.0 / 10 : 128.0 / 130;
  return gigatransfers * coding;
}

std::string unknown_reason(const Nic& nic) {
  switch (nic.kind) {
    case NicKind::loopback:
      return "loopback has no link";
    case NicKind::veth:
      return nic.name + " is a virtual cable; the speed it claims means nothing";
    case NicKind::paravirtual:
      return nic.name + " belongs to a virtual machine, which isn't told the real speed";
    case NicKind::wifi:
      return nic.name + " is a radio, whose rate changes all the time";
    case NicKind::tunnel:
      return nic.name + " is a tunnel over some other way";
    default:
      return nic.name + " doesn't tell its speed";
  }
}

LinkPayload negotiated_payload(const Nic& nic, const FramingOptions& options) {
  if (!nic.speed) return unknown(unknown_reason(nic));
  int mtu = nic.mtu.value_or(1500);
  if (options.mtu) mtu = std::min(mtu, *options.mtu);
  const auto version = options.ipv6 ? netbench::IpVersion::v6 : netbench::IpVersion::v4;
  const DataRate rate = netbench::ethernet_payload(*nic.speed, mtu, version);
  return {.rate = rate,
          .low = rate * framing_tolerance,
          .high = rate,
          .limited_by = "negotiated-speed",
          .formula = measure::megabits_text(*nic.speed) + " less the framing of full segments at MTU " +
                     std::to_string(mtu)};
}

// The one with less; a known one rather than an unknown one.
LinkPayload tighter(LinkPayload a, LinkPayload b) {
  if (!b.rate) return a;
  if (!a.rate) return b;
  return *b.rate < *a.rate ? b : a;
}

const Nic* find(const std::vector<Nic>& nics, const std::string& name) {
  const auto found = std::find_if(nics.begin(), nics.end(), [&](const Nic& nic) { return nic.name == name; });
  return found == nics.end() ? nullptr : &*found;
}

bool is_hardware(const Nic& nic, const std::vector<std::string>& stack) {
  return std::none_of(nic.lower.begin(), nic.lower.end(), [&](const std::string& lower) {
    return std::find(stack.begin(), stack.end(), lower) != stack.end();
  });
}

}  // namespace

LinkPayload usb_payload(const evidence::UsbBus& bus) {
  if (!bus.speed) return unknown("the USB speed is unknown");
  const double raw = bus.speed->megabits_per_second();
  for (const UsbPlateau& plateau : usb_plateaus) {
    if (raw > plateau.raw_megabits) continue;
    const double scale = raw / plateau.raw_megabits;
    const auto scaled = [scale](double megabits) { return DataRate::megabits_per_second(megabits * scale); };
    return {.rate = scaled((plateau.low_megabits + plateau.high_megabits) / 2),
            .low = scaled(plateau.low_megabits),
            .high = scaled(plateau.high_megabits),
            .limited_by = "usb-bus",
            .formula = "what network adapters reach on a USB bus of " + measure::megabits_text(*bus.speed)};
  }
  return unknown("a USB bus faster than any known");
}

LinkPayload pcie_payload(std::optional<double> gigatransfers, std::optional<int> lanes) {
  if (!gigatransfers || !lanes) return unknown("the PCIe link is unknown");
  const DataRate raw = DataRate::megabits_per_second(lane_gigabits(*gigatransfers) * *lanes * 1000);
  char text[96];
  std::snprintf(text, sizeof text, "%d PCIe lane%s at %.3g GT/s less packet headers", *lanes,
                *lanes == 1 ? "" : "s", *gigatransfers);
  return {.rate = raw * pcie_share,
          .low = raw * pcie_share_low,
          .high = raw * pcie_share_high,
          .limited_by = "pcie",
          .formula = text};
}

LinkPayload link_payload(const Nic& nic, const FramingOptions& options) {
  if (nic.kind == NicKind::loopback || nic.kind == NicKind::tunnel || nic.kind == NicKind::wifi) {
    return unknown(unknown_reason(nic));
  }
  LinkPayload payload = negotiated_payload(nic, options);
  if (nic.usb) payload = tighter(payload, usb_payload(*nic.usb));
  // Without a speed the PCIe slot alone says little: most are far wider than the port.
  if (nic.pcie && nic.speed)
    payload = tighter(payload, pcie_payload(nic.pcie->gigatransfers, nic.pcie->lanes));
  return payload;
}

LinkPayload route_payload(const evidence::RouteFacts& route, const std::vector<Nic>& nics) {
  if (route.local) return unknown("the server is this machine");
  if (route.tunnel) return unknown("the way leads through a tunnel");
  FramingOptions options{.mtu = route.mtu, .ipv6 = route.address.find(':') != std::string::npos};
  std::optional<LinkPayload> slowest;
  for (const std::string& name : route.stack) {
    const Nic* nic = find(nics, name);
    if (nic == nullptr) continue;
    if (nic->mtu) options.mtu = std::min(options.mtu.value_or(*nic->mtu), *nic->mtu);
    if (!is_hardware(*nic, route.stack) || nic->state == "down") continue;
    LinkPayload payload = link_payload(*nic, options);
    if (!payload.rate) return payload;
    if (!slowest || *payload.rate < *slowest->rate) slowest = std::move(payload);
  }
  return slowest.value_or(unknown("the interface isn't known"));
}

}  // namespace nasdiag::facts
