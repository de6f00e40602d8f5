#include "diagnose/verdict/causes/situation.hpp"

#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <cmath>

// The Ethernet hop at either end, with the USB or PCIe bus behind it.

namespace nasdiag::verdict {

namespace {

using measure::DataRate;

constexpr DataRate kFastEthernet = DataRate::megabits_per_second(100);

std::string plateau_text(const netbench::Plateau& plateau) {
  return "That is what a " + plateau.name + " link carries (" + to_text(plateau.payload) +
         "): some port, cable or adapter on the way runs at " + measure::megabits_text(plateau.line) + ".";
}

// Without a TCP figure: both directions of the file job stop where a slow standard does.
std::optional<netbench::Plateau> plateau_of_jobs(const Situation& s) {
  const auto link = s.rate(Layer::link);
  const auto balance = s.job_against_opposite();
  if (s.network_known() || !link || !balance || std::abs(*balance - 1) > 0.12) return std::nullopt;
  for (const auto& [name, megabits] :
       std::array{std::pair{"10BASE-T", 10.0}, std::pair{"100BASE-T", 100.0}}) {
    const DataRate line = DataRate::megabits_per_second(megabits);
    const DataRate payload = netbench::ethernet_payload(line, 1500);
    // Rounded figures; the job itself costs some per cent.
    if (*link >= payload * 5 && *s.job() >= payload * 0.88 && *s.job() <= payload * 1.03)
      return netbench::Plateau{.name = name, .line = line, .payload = payload, .deviation = 0};
  }
  return std::nullopt;
}

std::optional<Sign> negotiated_speed(const Situation& s) {
  if (s.limits(Layer::link) && s.rate(Layer::link) && *s.rate(Layer::link) < kFastEthernet)
    return Sign{.strength = strength::kStrong,
                .evidence = {"The link runs at 100 Mbit/s or less; today's ports do 1000 and more."}};
  if (const auto plateau = plateau_of_jobs(s))
    return Sign{.strength = strength::kFair, .evidence = {plateau_text(*plateau)}};
  const auto plateau = s.slower_plateau();
  if (!plateau || !s.limits_network() || s.routed() || s.tunnel() || s.wifi()) return std::nullopt;
  Sign sign{.strength = strength::kStrong, .evidence = {plateau_text(*plateau)}};
  if (s.rate(Layer::link)) return sign;
  // Whether it is slower than meant isn't known then; nobody buys these two any more.
  const bool unusual = plateau->line <= kFastEthernet || plateau->name == "5GBASE-T";
  sign.strength = unusual ? strength::kGood : strength::kEven;
  return sign;
}

// A tenth of the rate, at a lower standard's payload, within one run.
std::optional<Sign> step_to_a_tenth(const measure::SampleSeries& series) {
  for (const measure::ChangePoint& point : measure::change_points(series)) {
    const double ratio = point.before / point.after;
    if (ratio < 8 || ratio > 12.5) continue;
    return Sign{.strength = strength::kStrong,
                .evidence = {"Within one run the rate fell from " + to_text(point.before) + " to " +
                             to_text(point.after) + ", a tenth: the link negotiated a lower speed."}};
  }
  return std::nullopt;
}

// A file's rate went between the full link's payload and the tenth of it. A piece of a file more or less in a
// sample moves a level by some per cent. A disk can fall to about that, too, but then the NAS closes its
// window.
std::optional<Sign> file_stepped_to_a_tenth(const Situation& s) {
  const auto link = s.rate(Layer::link);
  if (s.saturation("window-closed") != nullptr) return std::nullopt;
  const auto at = [](DataRate rate, DataRate level) { return rate >= level * 0.85 && rate <= level * 1.05; };
  for (const auto* transfer : {s.from_memory(), s.copy()}) {
    if (!link || transfer == nullptr) continue;
    for (const measure::ChangePoint& point : measure::change_points(transfer->samples)) {
      const auto [slow, fast] = std::minmax(point.before, point.after);
      if (!at(fast, *link) || !at(slow, *link * 0.1)) continue;
      return Sign{.strength = strength::kStrong,
                  .evidence = {"Within one file the rate went from " + to_text(point.before) + " to " +
                               to_text(point.after) +
                               ", the full link and a tenth of it: the link negotiated another "
                               "speed."}};
    }
  }
  return std::nullopt;
}

std::string change_text(const NetworkChange& change) {
  return "TCP reached " + to_text(change.before) + " before the files were moved and " +
         to_text(change.after) + " after them, without any disk in it.";
}

std::optional<Sign> cable(const Situation& s) {
  for (const auto* flow : {s.one_stream(), s.more_streams()})
    if (flow != nullptr)
      if (auto sign = step_to_a_tenth(flow->series)) return sign;
  if (auto sign = file_stepped_to_a_tenth(s)) return sign;
  const auto& change = s.figures.network_change;
  if (change && change->after > change->before && !s.routed() && !s.wifi())
    return Sign{.strength = strength::kFair, .evidence = {change_text(*change)}};
  if (const auto* lost = s.saturation("link-lost"))
    return Sign{.strength = strength::kStrong, .evidence = {lost->text}};
  const auto plateau = s.slower_plateau();
  const bool low = s.limits_network() && !s.routed() &&
                   ((plateau && plateau->line <= kFastEthernet) ||
                    (s.limits(Layer::link) && *s.rate(Layer::link) < kFastEthernet && s.network_known()));
  if (low) return Sign{.strength = strength::kFair};
  for (const char* code : {"link-unstable", "crc-errors"})
    if (const auto* note = s.note(code); note != nullptr && s.limits_network() && !s.link_full())
      return Sign{.strength = strength::kFair, .evidence = {note->text}};
  return std::nullopt;
}

bool on_slow_usb(const Situation& s) {
  if (s.evidence.link.limited_by == "usb-bus")
    return s.limits(Layer::link) && *s.rate(Layer::link) < DataRate::megabits_per_second(1000);
  const auto tcp = s.best_tcp();
  const bool meant_faster = !s.rate(Layer::link) || *s.rate(Layer::link) > DataRate::megabits_per_second(900);
  return s.usb_nic() && tcp && meant_faster && *tcp >= DataRate::megabits_per_second(150) &&
         *tcp <= DataRate::megabits_per_second(420);
}

std::optional<Sign> usb_bus_speed(const Situation& s) {
  if (!on_slow_usb(s)) return std::nullopt;
  if (s.evidence.link.limited_by == "usb-bus")
    return Sign{
        .strength = strength::kNamed,
        .most = s.link_full() ? Confidence::certain : Confidence::likely,
        .evidence = {"The network adapter's USB port is its limit: " + s.evidence.link.formula + "."}};
  return Sign{.strength = strength::kStrong,
              .evidence = {"Adapters on a USB 2.0 port or cable end between 250 and 380 Mbit/s."}};
}

std::optional<Sign> usb_5gbit_bus(const Situation& s) {
  if (s.evidence.link.limited_by == "usb-bus" && s.limits(Layer::link) &&
      *s.rate(Layer::link) > DataRate::megabits_per_second(1000))
    return Sign{
        .strength = strength::kNamed,
        .most = s.link_full() ? Confidence::certain : Confidence::likely,
        .evidence = {"The network adapter's USB port is its limit: " + s.evidence.link.formula + "."}};
  const auto tcp = s.best_tcp();
  const auto link = s.rate(Layer::link);
  if (!s.usb_nic() || !tcp || !link || *link < DataRate::megabits_per_second(4500) ||
      *tcp < DataRate::megabits_per_second(3000) || *tcp > DataRate::megabits_per_second(3600))
    return std::nullopt;
  return Sign{.strength = strength::kStrong,
              .evidence = {"Adapters on a USB port of 5 Gbit/s end between 3200 and 3500 Mbit/s."}};
}

std::optional<Sign> usb_nic_cpu(const Situation& s) {
  const auto share = s.tcp_share_of_link();
  if (!s.usb_nic() || !share || *share > 0.85 || !s.limits_network()) return std::nullopt;
  if (on_slow_usb(s) || s.slower_plateau()) return Sign{.strength = strength::kHint};
  return Sign{.strength = strength::kFair,
              .evidence = {"A USB adapter is on the way and TCP stays below what its link carries."}};
}

std::optional<Sign> pcie_lanes(const Situation& s) {
  if (s.evidence.link.limited_by == "pcie" && s.limits(Layer::link))
    return Sign{.strength = strength::kNamed,
                .most = s.link_full() ? Confidence::certain : Confidence::likely,
                .evidence = {"The network card's slot is its limit: " + s.evidence.link.formula + "."}};
  const auto tcp = s.best_tcp();
  // The same with several streams: a bus, and no window or core.
  const auto& back = s.opposite.of(Layer::path);
  const bool uneven = back && tcp && std::abs(*tcp / back->rate.value - 1) > 0.1;
  if (!tcp || s.more_streams() == nullptr || uneven || s.usb_nic() || s.routed() || !s.limits_network())
    return std::nullopt;
  for (const auto& [bus, megabits] : std::array{std::pair{"1.x", 1540.0}, std::pair{"2.0", 3070.0}})
    if (std::abs(tcp->megabits_per_second() / megabits - 1) < 0.03)
      return Sign{.strength = strength::kFair,
                  .evidence = {std::string("One lane of PCIe ") + bus + " carries just that much (" +
                               to_text(DataRate::megabits_per_second(megabits)) + ")."}};
  return std::nullopt;
}

// Links of several members: 2000, 4000, 8000 Mbit/s are no speeds of one port.
std::optional<DataRate> member_of_bond(const Situation& s) {
  const evidence::Nic* nic = s.nic();
  if (nic == nullptr || !nic->speed) return std::nullopt;
  const double megabits = nic->speed->megabits_per_second();
  for (const double member : {1000.0, 2500.0, 10000.0})
    for (const int count : {2, 3, 4, 6, 8})
      if (megabits == member * count && megabits != 5000) return DataRate::megabits_per_second(member);
  return std::nullopt;
}

std::optional<Sign> lacp_single_flow(const Situation& s) {
  const auto rate = s.rate(Layer::tcp) ? s.rate(Layer::tcp) : s.job();
  if (const auto member = member_of_bond(s); member && rate) {
    const double share = *rate / netbench::ethernet_payload(*member, s.mtu());
    if (share >= 0.85 && share <= 1.02)
      return Sign{.strength = strength::kStrong,
                  .evidence = {"One connection gets what one member of the bond carries (" +
                               to_text(netbench::ethernet_payload(*member, s.mtu())) + ")."}};
  }
  const auto* note = s.note("bond-one-member");
  if (note == nullptr || !(s.limits(Layer::tcp) || s.one_stream_clearly_below())) return std::nullopt;
  return Sign{.strength = strength::kGood, .evidence = {note->text}};
}

std::optional<Sign> nic_driver(const Situation& s) {
  if (s.wifi() || s.routed() || s.tunnel()) return std::nullopt;
  const auto tcp = s.best_tcp();
  const auto& back = s.opposite.of(Layer::tcp) ? s.opposite.of(Layer::tcp) : s.opposite.of(Layer::path);
  const double balance_of_tcp = tcp && back ? *tcp / back->rate.value : 1;
  if ((balance_of_tcp < 0.6 || balance_of_tcp > 1 / 0.6) && s.limits_network() && !s.slower_plateau() &&
      !s.loses_packets())
    return Sign{.strength = s.streams_share_a_limit() ? strength::kFair : strength::kWeak,
                .evidence = {"TCP the other way reaches " + to_text(back->rate.value) + "."}};
  // Files one way ten times slower than the other: a fault of packets rather than of disks.
  const auto balance = s.job_against_opposite();
  if (s.network_known() || !balance || *balance > 0.12 || s.protocol_is("nfs")) return std::nullopt;
  return Sign{.strength = strength::kFair,
              .evidence = {"Files the other way move at " + to_text(s.opposite.job()->rate.value) +
                           ", ten times as fast: packets of one direction get lost or wait."}};
}

std::optional<Sign> nic_offload(const Situation& s) {
  const auto* note = s.note("offload-off");
  if (note == nullptr || !s.limits_network() || s.link_full()) return std::nullopt;
  return Sign{.strength = strength::kEven, .evidence = {note->text}};
}

std::optional<Sign> nic_hardware(const Situation& s) {
  const auto* errors = s.saturation("nic-errors");
  if (errors == nullptr) return std::nullopt;
  return Sign{.strength = strength::kEven, .evidence = {errors->text}};
}

std::optional<Sign> nic_thermal(const Situation& s) {
  const auto& change = s.figures.network_change;
  if (change && change->after < change->before && !s.routed() && !s.wifi())
    return Sign{.strength = strength::kGood, .evidence = {change_text(*change)}};
  for (const auto* flow : {s.one_stream(), s.more_streams()}) {
    if (flow == nullptr || step_to_a_tenth(flow->series)) continue;
    for (const measure::ChangePoint& point : flow->change_points)
      if (point.after < point.before * 0.75 && !s.routed() && !s.wifi())
        return Sign{.strength = s.usb_nic() ? strength::kGood : strength::kFair,
                    .evidence = {"Raw TCP fell from " + to_text(point.before) + " to " +
                                 to_text(point.after) + " within one run, without any disk in it."}};
  }
  return std::nullopt;
}

constexpr std::array kCauses{
    Cause{
        .id = "link/negotiated-speed",
        .layer = Layer::link,
        .meaning = "a port, hop or adapter runs at a lower standard speed than believed",
        .seen = "TCP within 1.5 % of the payload of 10, 100, 1000, 2500 or 5000 Mbit/s, the same with one "
                "stream and with several; or an interface that says 100 Mbit/s",
        .against = "the rate moves with the number of streams; a router, tunnel or radio on the way",
        .look_alikes = {{{"link/cable", "Swap the cable and look at the speed again: `ethtool INTERFACE`."},
                         {"link/usb-bus-speed",
                          "Look at the adapter's bus: `lsusb -t` must say 5000M or more."},
                         {"none/link-saturated",
                          "Compare with the speed printed on both adapters and switch "
                          "ports: `ethtool INTERFACE`, and the NAS's network page."}}},
        .advice =
            "Look at the negotiated speed of every port on the way, both ends first (`ethtool INTERFACE`, "
            "the "
            "NAS's network page, the switch's lights): replace the cable or port of the one that is slower.",
        .gain = "up to the payload of the next faster port",
        .recognise = negotiated_speed},
    Cause{
        .id = "link/cable",
        .layer = Layer::link,
        .meaning = "a cable forces a lower speed, at once or under load",
        .seen =
            "100 Mbit/s where both ports do more; a step to a tenth within one run; checksum errors; a link "
            "that goes down and up",
        .against = "the same speed with another cable",
        .look_alikes =
            {{{"link/negotiated-speed", "Swap the cable and look at the speed again: `ethtool INTERFACE`."},
              {"link/nic-thermal", "A cable falls to exactly a tenth; heat to any rate, after minutes."}}},
        .advice =
            "Replace the cable (100 Mbit/s needs two pairs, everything faster all four), also those between "
            "switches; then look at the speed again: `ethtool INTERFACE`.",
        .gain = "up to the payload of the ports",
        .recognise = cable},
    Cause{
        .id = "link/nic-driver",
        .layer = Layer::link,
        .meaning = "driver release or kind",
        .seen = "one direction far below the other without loss on a sound link; it changes with the release",
        .against = "both directions alike; the same adapter is fast in another computer with this driver",
        .look_alikes = {{{"path/mtu-mismatch",
                          "Send full frames that must not be fragmented: `ping -M do -s 1472 "
                          "NAS` (8972 with MTU 9000): no answer is a mismatch."},
                         {"nas-disk/sync-write",
                          "Measure raw TCP in the slow direction: `iperf3 -c NAS` (-R for "
                          "reads): a slow one is no disk."},
                         {"link/nic-offload",
                          "Switch offloads off for a try: `ethtool -K INTERFACE tso off gso off "
                          "gro off`."}}},
        .advice =
            "Install the adapter maker's driver or a newer kernel on the end that receives slowly (on a "
            "Synology, the package of the adapter's chip), and compare `iperf3 -c NAS` with -R again.",
        .gain = "up to the other direction's rate",
        .recognise = nic_driver},
    Cause{
        .id = "link/usb-bus-speed",
        .layer = Layer::link,
        .meaning = "USB adapter on a 480 Mbit/s or otherwise slow port or cable",
        .seen =
            "TCP between 250 and 380 Mbit/s through a USB adapter of 1 Gbit/s or more; `lsusb -t` says 480M",
        .against = "`lsusb -t` says 5000M or more",
        .look_alikes = {{{"link/negotiated-speed", "`lsusb -t` shows the bus, `ethtool INTERFACE` the link."},
                         {"path/router-cpu", "Measure to a host in the same subnet: `iperf3 -c HOST`."}}},
        .advice =
            "Plug the adapter into a faster USB port (blue, or marked SS), without hub or extension cable; "
            "`lsusb -t` must then say 5000M or more.",
        .gain = "3 to 10 times",
        .recognise = usb_bus_speed},
    Cause{.id = "link/usb-nic-cpu",
          .layer = Layer::link,
          .meaning = "USB adapter bound by the host's processor or its stack",
          .seen = "a USB adapter, TCP clearly below the link and at no standard's payload, one core busy "
                  "with interrupts",
          .against = "the same rate with a PCIe card",
          .look_alikes = {{{"link/usb-5gbit-bus",
                            "`lsusb -t` says 5000M: 3.2 to 3.5 Gbit/s is all of that bus."},
                           {"link/nic-driver", "Try the maker's driver release."},
                           {"path/packet-loss", "Count retransmits: `iperf3 -c NAS` shows them as Retr."}}},
          .advice =
              "Watch the processor of the end with the adapter during `iperf3` (`mpstat -P ALL 1`): with one "
              "core full, use a PCIe card or an adapter with another chip.",
          .gain = "up to the link's payload",
          .recognise = usb_nic_cpu},
    Cause{.id = "link/lacp-single-flow",
          .layer = Layer::link,
          .meaning = "one connection stays on one member of a bond",
          .seen = "a bond or link aggregate, and one connection at the payload of one member",
          .against = "one connection exceeds a member's payload",
          .look_alikes = {{{"mount/single-connection",
                            "Compare the members' counters during a copy: `ip -s link`."},
                           {"link/negotiated-speed", "Look at the speed of each member: `ethtool MEMBER`."}}},
          .advice = "One copy can't use more than one member: use several connections (NFS: nconnect=4, SMB: "
                    "multichannel with one address per port) with a layer3+4 hash, or one faster link.",
          .gain = "as many times as there are members",
          .recognise = lacp_single_flow},
    Cause{.id = "link/nic-offload",
          .layer = Layer::link,
          .meaning = "checksum or segmentation offload of a physical adapter is off, or broken",
          .seen = "offloads off in `ethtool -k INTERFACE`, a core full with interrupts; or full rate only "
                  "with them off",
          .against = "no change when they are switched",
          .look_alikes = {{{"nas-cpu/network-stack", "Watch the cores of both ends during `iperf3`."},
                           {"link/nic-driver", "Try another driver release."}}},
          .advice = "Switch them on (`ethtool -K INTERFACE tso on gso on gro on`); if they are on already, "
                    "try off once "
                    "to see whether the adapter handles them wrongly.",
          .gain = "up to the link's payload",
          .recognise = nic_offload},
    Cause{.id = "link/nic-firmware",
          .layer = Layer::link,
          .meaning = "firmware of the adapter",
          .seen = "slow with one firmware and fast with another; `ethtool -i INTERFACE` names it",
          .against = "the same with the newest firmware",
          .look_alikes = {{{"link/nic-driver", "Change one at a time: driver first, then firmware."}}},
          .advice = "Update the adapter's firmware with its maker's tool.",
          .gain = "up to the link's payload",
          .recognise = nullptr},
    Cause{.id = "link/nic-hardware",
          .layer = Layer::link,
          .meaning = "a dying adapter",
          .seen = "errors of the interface count up during the copy (`ip -s link`), with any cable",
          .against = "no errors; the cable was not swapped yet",
          .look_alikes = {{{"link/cable",
                            "Swap the cable first: errors that stay are the adapter's or the port's."}}},
          .advice = "Swap the cable, then the switch port, then the adapter.",
          .gain = "up to the link's payload",
          .recognise = nic_hardware},
    Cause{
        .id = "link/nic-thermal",
        .layer = Layer::link,
        .meaning = "the adapter overheats and slows down or stops",
        .seen = "raw TCP falls within a run, after minutes, in both directions, and is well again when cold",
        .against = "only files slow down and raw TCP doesn't: then it is a cache that filled",
        .look_alikes = {{{"nas-disk/write-cache-exhausted",
                          "Run `iperf3 -c NAS -t 600`: heat slows it too, a full "
                          "write cache doesn't."},
                         {"link/cable", "A cable falls to exactly a tenth at once."}}},
        .advice = "Give the adapter air or a heat sink, and repeat `iperf3 -c NAS -t 600`.",
        .gain = "the rate of the first minute, for as long as it lasts",
        .recognise = nic_thermal},
    Cause{.id = "link/pcie-lanes",
          .layer = Layer::link,
          .meaning = "lane count or generation of the slot",
          .seen = "`lspci -vv` says a lower LnkSta than LnkCap; TCP at 1.5, 3.1 or 6.3 Gbit/s, whatever the "
                  "streams",
          .against = "LnkSta equals what the card can do",
          .look_alikes = {{{"link/negotiated-speed",
                            "`lspci -vv` shows the slot (LnkSta), `ethtool` the link."},
                           {"link/usb-5gbit-bus", "Is it a USB adapter?"}}},
          .advice =
              "Put the card into a slot with more lanes or a newer PCIe generation (`lspci -vv`: LnkSta).",
          .gain = "up to the link's payload",
          .recognise = pcie_lanes},
    Cause{.id = "link/usb-5gbit-bus",
          .layer = Layer::link,
          .meaning = "USB adapter on a 5 Gbit/s port, which carries 3.2 to 3.5 Gbit/s of payload",
          .seen = "a 5 Gbit/s USB adapter at 3.2 to 3.5 Gbit/s with any number of streams",
          .against = "`lsusb -t` says 10000M",
          .look_alikes = {{{"link/usb-nic-cpu", "`lsusb -t` says 10000M: then the bus is no limit."},
                           {"link/pcie-lanes", "Is it a PCIe card?"}}},
          .advice = "That is all such a port carries; a port of 10 Gbit/s (USB 3.2 Gen 2) and an adapter for "
                    "it, or a "
                    "PCIe card, bring the full 5 Gbit/s.",
          .gain = "a third more",
          .recognise = usb_5gbit_bus},
};

}  // namespace

std::span<const Cause> link_causes() { return kCauses; }

}  // namespace nasdiag::verdict
