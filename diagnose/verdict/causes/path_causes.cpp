#include "diagnose/verdict/causes/situation.hpp"

#include <measure/quantity_text.hpp>

#include <array>

// Switches, routers, tunnels and radio between the two links.

namespace nasdiag::verdict {

namespace {

using measure::DataRate;

// TCP at this share of the link or less can't be explained by processors or windows of this decade.
constexpr double kNearlyNothing = 0.12;

std::string router_name(const Situation& s) {
  const std::string& address = *s.route()->gateway;
  return address.empty() ? "a router" : "the router " + address;
}

bool tcp_nearly_nothing(const Situation& s) {
  const auto share = s.tcp_share_of_link();
  return share && *share < kNearlyNothing && !s.slower_plateau();
}

std::optional<Sign> mtu_mismatch(const Situation& s) {
  const bool jumbo = s.mtu() > 1500;
  if (tcp_nearly_nothing(s))
    return Sign{
        .strength = jumbo ? strength::kStrong : strength::kEven,
        .evidence = {"TCP gets through, but hardly: as when full frames are lost and small ones are not."}};
  if (jumbo && s.tcp_limit() == netbench::Limit::congestion && s.limits_network())
    return Sign{.strength = strength::kEven};
  // Files in one direction nearly stand still while TCP of that direction and files the other way move.
  const auto tcp = s.best_tcp();
  const auto balance = s.job_against_opposite();
  if (!balance || *balance > 0.12 || s.protocol_is("nfs")) return std::nullopt;
  if (tcp && *s.job() < *tcp * 0.05)
    return Sign{.strength = strength::kFair,
                .evidence = {"Files move at " + to_text(*s.job()) + " although TCP reaches " + to_text(*tcp) +
                             " and files the other way " + to_text(s.opposite.job()->rate.value) + "."}};
  if (!tcp) return Sign{.strength = strength::kEven};
  return std::nullopt;
}

std::optional<Sign> wifi(const Situation& s) {
  if (!s.wifi() || s.link_full()) return std::nullopt;
  if (s.limits_network())
    return Sign{.strength = strength::kNamed, .evidence = {"The way leads over Wi-Fi."}};
  if (!s.network_known())
    return Sign{.strength = strength::kFair,
                .evidence = {"The way leads over Wi-Fi, whose rate was not measured by itself."}};
  return std::nullopt;
}

std::optional<Sign> wifi_driver(const Situation& s) {
  if (!s.wifi() || s.link_full() || !(s.limits_network() || !s.network_known())) return std::nullopt;
  return Sign{.strength = strength::kWeak};
}

std::optional<Sign> switch_flow_control(const Situation& s) {
  const auto* pauses = s.saturation("pause-frames");
  if (pauses != nullptr && !s.link_full())
    return Sign{.strength = strength::kEven, .evidence = {pauses->text}};
  if (s.tcp_limit() != netbench::Limit::congestion || !s.limits_network()) return std::nullopt;
  return Sign{.strength = strength::kHint};
}

std::optional<Sign> packet_loss(const Situation& s) {
  if (s.link_full()) return std::nullopt;
  if (s.loses_packets()) {
    const auto* flow =
        s.limits(Layer::path) && s.more_streams() != nullptr ? s.more_streams() : s.one_stream();
    // Streams that lose add up; where they don't, a slow port drops what is too much.
    const bool adds_up = !s.streams_share_a_limit();
    if (s.limits_network())
      return Sign{.strength = adds_up ? strength::kStrong : strength::kFair,
                  .evidence = flow->limit.evidence};
    const bool of_mount =
        s.below_all() && s.one_stream_clearly_below() && *s.job() >= *s.rate(Layer::tcp) * 0.4;
    if (of_mount)
      return Sign{
          .strength = strength::kConnection, .most = Confidence::possible, .evidence = flow->limit.evidence};
  }
  if (const auto* lost = s.saturation("retransmits"); lost != nullptr && !s.limits(Layer::link))
    return Sign{.strength = strength::kEven, .evidence = {lost->text}};
  if (tcp_nearly_nothing(s)) return Sign{.strength = strength::kWeak};
  return std::nullopt;
}

std::optional<Sign> router_cpu(const Situation& s) {
  const bool more_reach_more = s.rises_with_streams();
  const auto* busy = s.note("softirq-full");
  using netbench::Limit;
  const Limit why = s.tcp_limit();
  if (!s.limits(Layer::tcp) || why == Limit::receive_window || why == Limit::send_buffer || s.loses_packets())
    return std::nullopt;
  if (!s.routed() && (busy == nullptr || !more_reach_more)) return std::nullopt;
  // One stream through a router, and nothing to compare it with.
  const bool compared = more_reach_more || s.rate(Layer::link);
  Sign sign{.strength = compared ? strength::kStrong : strength::kEven};
  if (s.routed())
    sign.evidence.push_back("The way leads through " + router_name(s) +
                            ", and one connection gets less than the link carries: a router moves each "
                            "connection on one of its cores.");
  if (busy != nullptr) sign.evidence.push_back(busy->text);
  return sign;
}

std::optional<Sign> router_offload_off(const Situation& s) {
  if (!s.routed() || s.link_full()) return std::nullopt;
  const auto rate = s.network_known() ? s.best_tcp() : s.job();
  const auto link = s.rate(Layer::link);
  if (!rate || !link || *rate > *link * 0.35) return std::nullopt;
  return Sign{.strength = s.network_known() ? strength::kWeak : strength::kEven,
              .evidence = {"The way leads through " + router_name(s) + "."}};
}

std::optional<Sign> router_port_speed(const Situation& s) {
  if (!s.routed() || s.tunnel() || s.wifi() || !s.limits(Layer::path)) return std::nullopt;
  Sign sign{.strength = strength::kGood, .evidence = {"The way leads through " + router_name(s) + "."}};
  if (const auto plateau = s.slower_plateau()) {
    sign.strength = strength::kStrong;
    sign.evidence.push_back("That is what a " + plateau->name + " port carries.");
  }
  return sign;
}

std::optional<Sign> switch_buffer(const Situation& s) {
  const auto tcp = s.best_tcp();
  const auto& back = s.opposite.of(Layer::tcp);
  if (s.tcp_limit() != netbench::Limit::congestion || !s.limits_network() || !tcp || !back)
    return std::nullopt;
  return Sign{.strength = *tcp < back->rate.value * 0.5 ? strength::kEven : strength::kHint};
}

std::optional<Sign> virtual_nic_offload(const Situation& s) {
  const evidence::Nic* nic = s.nic();
  const bool is_virtual =
      nic != nullptr && (nic->kind == evidence::NicKind::paravirtual || nic->kind == evidence::NicKind::tap);
  const auto tcp = s.best_tcp();
  if (!tcp || *tcp > DataRate::megabits_per_second(50) || s.wifi() || s.tunnel() || s.slower_plateau())
    return std::nullopt;
  if (is_virtual) return Sign{.strength = strength::kGood};
  if (s.rate(Layer::link)) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> vpn(const Situation& s) {
  if (!s.tunnel() || s.link_full()) return std::nullopt;
  if (s.limits_network())
    return Sign{.strength = strength::kStrong, .evidence = {"The way leads through a tunnel (VPN)."}};
  if (!s.network_known())
    return Sign{.strength = strength::kFair,
                .evidence = {"The way leads through a tunnel (VPN), whose rate was not measured by itself."}};
  return std::nullopt;
}

std::optional<Sign> vpn_mtu(const Situation& s) {
  if (!s.tunnel() || s.link_full()) return std::nullopt;
  if (tcp_nearly_nothing(s)) return Sign{.strength = strength::kNamed};
  const auto* flow = s.one_stream();
  const bool loses = flow != nullptr &&
                     (flow->limit.limit == netbench::Limit::congestion || flow->retransmits.value_or(0) > 0);
  if (!loses && s.note("mtu-small") == nullptr) return std::nullopt;
  return Sign{.strength = strength::kFair};
}

std::optional<Sign> wrong_interface(const Situation& s) {
  if (s.link_full()) return std::nullopt;
  for (const auto& [code, how_strong] : std::array{std::pair{"mount-other-way", strength::kGood},
                                                   std::pair{"same-subnet-twice", strength::kWeak},
                                                   std::pair{"faster-nic-idle", strength::kEven}})
    if (const auto* note = s.note(code)) return Sign{.strength = how_strong, .evidence = {note->text}};
  return std::nullopt;
}

std::optional<Sign> software_bridge(const Situation& s) {
  if (s.route() == nullptr || !s.limits_network() || s.link_full()) return std::nullopt;
  for (const evidence::Nic& nic : s.evidence.facts.nics)
    if (nic.kind == evidence::NicKind::bridge && nic.name == s.route()->interface)
      return Sign{.strength = strength::kHint};
  return std::nullopt;
}

constexpr const char* kPing =
    "Send full frames that must not be fragmented: `ping -M do -s 1472 NAS` (8972 with MTU 9000): no answer "
    "is a "
    "mismatch.";
constexpr const char* kSameSubnet =
    "Measure to a host in the same subnet: `iperf3 -c HOST`: full rate there is the router's.";

constexpr std::array kCauses{
    Cause{.id = "path/mtu-mismatch",
          .layer = Layer::path,
          .meaning = "frame sizes do not agree, or do not fit",
          .seen = "`ping -M do` of a full frame gets no answer; TCP at a few per cent of the link with jumbo "
                  "frames, or "
                  "files that stand still while TCP moves",
          .against = "full frames are answered",
          .look_alikes = {{{"link/nic-driver", kPing},
                           {"path/packet-loss", kPing},
                           {"nas-disk/sync-write", kPing}}},
          .advice = "Set MTU 1500 on both ends, or 9000 on both ends and every switch between (`ip link set "
                    "INTERFACE "
                    "mtu 1500`), and check with `ping -M do -s 1472 NAS`.",
          .gain = "up to the link's payload",
          .recognise = mtu_mismatch},
    Cause{.id = "path/wifi",
          .layer = Layer::path,
          .meaning = "radio link",
          .seen = "the route leads over a radio interface and TCP is not faster than the files",
          .against = "TCP over that radio is much faster than the files",
          .look_alikes =
              {{{"path/wifi-driver", "Measure both directions, near the access point: `iperf3 -c NAS`, -R."},
                {"mount/small-read-size", "Measure TCP over the same radio: `iperf3 -c NAS` and -R."}}},
          .advice = "Use a cable, or move closer to the access point and to a free channel at 5 or 6 GHz.",
          .gain = "up to the payload of the cable",
          .recognise = wifi},
    Cause{
        .id = "path/switch-flow-control",
        .layer = Layer::path,
        .meaning = "pause frames missing where the receiver needs them, or stopping the sender",
        .seen = "a sender with a faster link than the receiver, many retransmits; a rate cap at the sender "
                "cures it",
        .against = "no loss; both links alike",
        .look_alikes = {{{"path/switch-buffer",
                          "Cap the sender (`iperf3 -c NAS -b 900M`): full rate without "
                          "retransmits means the switch drops."}}},
        .advice =
            "Switch flow control on at the switch and at both adapters (`ethtool -A INTERFACE rx on tx on`).",
        .gain = "up to the receiver's payload",
        .recognise = switch_flow_control},
    Cause{
        .id = "path/packet-loss",
        .layer = Layer::path,
        .meaning = "loss with unknown place",
        .seen = "retransmits above 3 % of the segments, or a small congestion window on a short way",
        .against = "the link is full in spite of the retransmits",
        .look_alikes = {{{"path/mtu-mismatch", kPing},
                         {"link/cable",
                          "Look at the error counters of both ends and swap the cable: `ip -s link`."},
                         {"nas-cpu/background-software",
                          "Measure to another host on the same switch: `iperf3 -c "
                          "HOST`."}}},
        .advice =
            "Packets get lost on the way: replace cables, try other switch ports, and look where errors and "
            "drops count up (`ip -s link`, the switch's port page).",
        .gain = "up to the link's payload",
        .recognise = packet_loss},
    Cause{.id = "path/router-cpu",
          .layer = Layer::path,
          .meaning = "routing in software, one core per connection",
          .seen = "a gateway in the route, one stream far below several, no small window, no loss",
          .against = "the same rate to a host in the same subnet",
          .look_alikes = {{{"tcp/window",
                            "Raise the window: `iperf3 -c NAS -w 4M`: a router's core doesn't care."},
                           {"path/router-offload-off", "Look for hardware offload in the router's settings."},
                           {"link/lacp-single-flow", kSameSubnet}}},
          .advice =
              "Give NAS and computer addresses in one subnet (VLAN), so that their traffic stays on the "
              "switch; "
              "several connections at once (nconnect, SMB multichannel) only use more of the router's cores.",
          .gain = "up to the link's payload",
          .recognise = router_cpu},
    Cause{.id = "path/router-offload-off",
          .layer = Layer::path,
          .meaning = "hardware forwarding of the router is disabled",
          .seen = "a gateway in the route and a small part of its ports' speed, with any number of streams",
          .against = "the same rate to a host in the same subnet",
          .look_alikes = {{{"path/router-cpu", "Look for hardware offload in the router's settings."},
                           {"path/router-port-speed", "Look at the speed of the router's ports."}}},
          .advice = "Switch hardware offload on in the router (EdgeRouter: `set system offload ipv4 "
                    "forwarding enable` "
                    "and `vlan enable`), or give both ends addresses in one subnet.",
          .gain = "up to the router's port speed",
          .recognise = router_offload_off},
    Cause{
        .id = "path/router-port-speed",
        .layer = Layer::path,
        .meaning = "the router's ports are slower",
        .seen = "a gateway in the route and the payload of a slower port with several streams too",
        .against = "the same rate to a host in the same subnet",
        .look_alikes = {{{"link/negotiated-speed", kSameSubnet}, {"path/router-cpu", kSameSubnet}}},
        .advice =
            "Give NAS and computer addresses in one subnet on one switch, or use a router with faster ports.",
        .gain = "up to the link's payload",
        .recognise = router_port_speed},
    Cause{
        .id = "path/switch-buffer",
        .layer = Layer::path,
        .meaning = "fast-to-slow port, small buffer",
        .seen = "many retransmits in the direction from the faster link to the slower one only",
        .against = "both links alike",
        .look_alikes = {{{"path/switch-flow-control", "Cap the sender: `iperf3 -c NAS -b 900M`."},
                         {"path/packet-loss", "Measure the other direction: a bad cable loses both ways."}}},
        .advice = "Switch flow control on along the way, or cap the faster end (`tc qdisc replace dev "
                  "INTERFACE root "
                  "fq maxrate 2.3gbit`).",
        .gain = "up to the slower link's payload",
        .recognise = switch_buffer},
    Cause{.id = "path/third-machine-copy",
          .layer = Layer::path,
          .meaning = "both ends of the copy are remote, and all data passes a third machine",
          .seen = "source and target are both network mounts of this computer",
          .against = "one end is a local disk",
          .look_alikes = {{{"path/wifi", "Start the copy on one of the two ends."}}},
          .advice = "Start the copy on one of the two ends (over ssh, or in the NAS's file manager).",
          .gain = "up to the link between the two ends",
          .recognise = nullptr},
    Cause{
        .id = "path/virtual-nic-offload",
        .layer = Layer::path,
        .meaning = "offload in a virtual network card",
        .seen = "TCP of a virtual machine at a few Mbit/s; full rate with large send offload switched off",
        .against = "no virtual machine on the way",
        .look_alikes = {{{"path/mtu-mismatch", kPing}}},
        .advice =
            "Switch large send offload off in the guest (Windows: adapter properties, Large Send Offload V2; "
            "Linux: `ethtool -K INTERFACE tso off`), or update the virtio driver.",
        .gain = "a hundred times and more",
        .recognise = virtual_nic_offload},
    Cause{.id = "path/vpn",
          .layer = Layer::path,
          .meaning = "tunnel path",
          .seen = "the route leads through a tunnel, and TCP through it is below the link",
          .against = "TCP through the tunnel is much faster than the files",
          .look_alikes = {{{"path/vpn-mtu", "Lower the tunnel's MTU once: `ip link set wg0 mtu 1280`."}}},
          .advice =
              "Reach the NAS by its local address instead of through the tunnel; from afar, WireGuard with a "
              "processor that has AES or AVX is the fastest.",
          .gain = "up to the link's payload",
          .recognise = vpn},
    Cause{
        .id = "path/vpn-mtu",
        .layer = Layer::path,
        .meaning = "fragmentation in a tunnel",
        .seen = "retransmits in a tunnel, or connections that open and then stand still",
        .against = "no change with a tunnel MTU of 1280",
        .look_alikes = {{{"path/vpn", "Lower the tunnel's MTU once: `ip link set wg0 mtu 1280`."},
                         {"path/packet-loss", "Lower the tunnel's MTU once: `ip link set wg0 mtu 1280`."}}},
        .advice =
            "Set the tunnel's MTU to 1280 at both ends (`ip link set wg0 mtu 1280`), then raise it as far as "
            "`ping -M do` allows.",
        .gain = "ten times and more",
        .recognise = vpn_mtu},
    Cause{.id = "path/wifi-driver",
          .layer = Layer::path,
          .meaning = "radio driver",
          .seen = "one direction over the radio far below the other, near the access point too",
          .against = "both directions alike",
          .look_alikes = {{{"path/wifi",
                            "Measure both directions near the access point: `iperf3 -c NAS`, -R."}}},
          .advice = "Use a newer kernel or the adapter's own driver, and switch its power saving off (`iw "
                    "dev INTERFACE "
                    "set power_save off`).",
          .gain = "up to the other direction's rate",
          .recognise = wifi_driver},
    Cause{.id = "path/wrong-interface",
          .layer = Layer::path,
          .meaning = "traffic takes another interface than thought",
          .seen = "`ip route get NAS` names another interface than the fast one; its counters stand still",
          .against = "the fast interface's counters move during the copy",
          .look_alikes = {{{"link/negotiated-speed",
                            "Look which interface counts during a copy: `ip -s link`."}}},
          .advice = "Mount the share by the address of the fast link, and give each link a subnet of its own "
                    "(`ip route "
                    "get ADDRESS` must name the fast interface).",
          .gain = "up to the faster link's payload",
          .recognise = wrong_interface},
    Cause{
        .id = "path/software-bridge",
        .layer = Layer::path,
        .meaning = "a bridge in the server's stack",
        .seen = "the address is on a bridge (`ip link`), a core is full with interrupts",
        .against = "the same rate without the bridge",
        .look_alikes = {{{"nas-cpu/network-stack", "Give the address to the port itself for a try."}}},
        .advice =
            "Give the address to the network port itself, or check that the bridge has the MTU of its ports.",
        .gain = "up to twice",
        .recognise = software_bridge},
};

}  // namespace

std::span<const Cause> path_causes() { return kCauses; }

}  // namespace nasdiag::verdict
