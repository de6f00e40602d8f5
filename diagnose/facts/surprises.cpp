#include <diagnose/facts/link_payload.hpp>
#include <diagnose/facts/surprises.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cstdio>

namespace nasdiag::facts {

using evidence::Facts;
using evidence::Nic;
using evidence::NicKind;
using measure::ByteCount;
using measure::DataRate;
using measure::Notes;
using measure::Severity;

namespace {

// "10 Gbit/s" for a nominal speed, which needs no second unit.
std::string speed_text(DataRate rate) { return measure::megabits_text(rate); }

void add(Notes& notes, const char* code, Severity severity, std::string text) {
  notes.push_back({.code = code, .severity = severity, .text = std::move(text)});
}
void warn(Notes& notes, const char* code, std::string text) {
  add(notes, code, Severity::warning, std::move(text));
}
void tell(Notes& notes, const char* code, std::string text) {
  add(notes, code, Severity::info, std::move(text));
}

const Nic* find(const Facts& facts, const std::optional<std::string>& name) {
  for (const Nic& nic : facts.nics) {
    if (name && nic.name == *name) return &nic;
  }
  return nullptr;
}

std::vector<const Nic*> nics_on_the_way(const Facts& facts) {
  std::vector<const Nic*> way;
  for (const auto* route : {&facts.route, &facts.mount_route}) {
    if (!*route) continue;
    for (const std::string& name : (*route)->stack) {
      const Nic* nic = find(facts, name);
      if (nic != nullptr && std::find(way.begin(), way.end(), nic) == way.end()) way.push_back(nic);
    }
  }
  return way;
}

void judge_bus(const Nic& nic, Notes& notes) {
  if (nic.usb) {
    const auto bus = usb_payload(*nic.usb);
    const auto link = link_payload(nic);
    if (!bus.rate) return;
    const std::string head = nic.name + ": USB NIC on a " + speed_text(*nic.usb->speed) + " port";
    if (link.limited_by == "usb-bus") {
      warn(notes, "usb-nic",
           head + ": about " + speed_text(*bus.rate) + " is its ceiling" +
               (nic.speed ? ", below its link of " + speed_text(*nic.speed) : ""));
    }
    return;
  }
  if (!nic.pcie || !nic.pcie->lanes || !nic.speed) return;
  if (link_payload(nic).limited_by != "pcie") return;
  const auto now = pcie_payload(nic.pcie->gigatransfers, nic.pcie->lanes);
  const auto best = pcie_payload(nic.pcie->max_gigatransfers, nic.pcie->max_lanes);
  std::string text = nic.name + ": its slot gives " + now.formula + ", about " + speed_text(*now.rate) +
                     ", below its link of " + speed_text(*nic.speed);
  if (best.rate && *best.rate > *now.rate * 1.05) text += "; the card could use " + best.formula;
  warn(notes, "pcie-narrow", text);
}

void judge_negotiation(const Nic& nic, Notes& notes) {
  if (nic.duplex == "half") {
    warn(notes, "half-duplex",
         nic.name +
             " runs half duplex: only one end sends at a time; "
             "usually one end has a fixed setting and the other negotiates");
  }
  if (!nic.speed || nic.advertised.empty()) return;
  const DataRate own = nic.advertised.back();
  const DataRate card = nic.supported.empty() ? own : nic.supported.back();
  if (!nic.partner.empty() && std::min(own, nic.partner.back()) > *nic.speed) {
    warn(notes, "link-slow",
         nic.name + " is linked at " + speed_text(*nic.speed) + ", but both ends offer " +
             speed_text(std::min(own, nic.partner.back())) + ": suspect the cable or a plug");
  } else if (!nic.partner.empty() && nic.partner.back() < own) {
    tell(notes, "partner-slow",
         nic.name + " could do " + speed_text(own) + ", the other end of the cable offers " +
             speed_text(nic.partner.back()) + " at most");
  } else if (nic.partner.empty() && *nic.speed < card) {
    tell(notes, "link-slow",
         nic.name + " is linked at " + speed_text(*nic.speed) + ", its card could do " + speed_text(card) +
             ": the other end or the cable decides");
  }
}

// Counters are since boot: a few are normal after plugging a cable in.
constexpr std::int64_t many_errors = 100;

void judge_errors(const Nic& nic, Notes& notes) {
  if (nic.crc_errors.value_or(0) > many_errors) {
    warn(notes, "crc-errors",
         nic.name + " received " + std::to_string(*nic.crc_errors) +
             " damaged frames since boot: a bad cable or plug");
  }
  if (nic.collisions.value_or(0) > 0 && nic.kind == NicKind::ethernet) {
    warn(notes, "collisions",
         nic.name + " counted " + std::to_string(*nic.collisions) +
             " collisions, which a switched link never has: a duplex mismatch");
  }
  if (nic.carrier_changes.value_or(0) > 20) {
    warn(notes, "link-unstable",
         nic.name + " lost and found its link " + std::to_string(*nic.carrier_changes / 2) +
             " times since boot: a loose cable or a failing port");
  }
  if (nic.drops.value_or(0) > many_errors) {
    tell(notes, "nic-drops",
         nic.name + " dropped " + std::to_string(*nic.drops) +
             " frames since boot because this host was too slow to take them");
  }
}

// Below this the processor copes without offloads and with small rings.
constexpr double offloads_matter_megabits = 2500;

void judge_settings(const Nic& nic, Notes& notes) {
  if (nic.mtu && *nic.mtu < 1500 && nic.kind != NicKind::tunnel) {
    warn(notes, "mtu-small", nic.name + " has an MTU of " + std::to_string(*nic.mtu) + " instead of 1500");
  }
  // A virtual interface hands packets over in memory: offloads that are off cost it little.
  if (nic.kind != NicKind::ethernet || !nic.speed) return;
  if (nic.speed->megabits_per_second() < offloads_matter_megabits) return;
  std::string off;
  if (nic.tx_checksum == false) off += " checksums,";
  if (nic.tcp_segmentation == false) off += " TCP segmentation,";
  if (nic.generic_receive == false && nic.large_receive != true) off += " receive aggregation,";
  if (!off.empty()) {
    off.pop_back();
    warn(notes, "offload-off",
         nic.name + " is linked at " + speed_text(*nic.speed) + " with these offloads switched off:" + off +
             "; one core may be the limit");
  }
  constexpr int small_ring = 256;
  if (nic.rx_ring && nic.rx_ring_max && *nic.rx_ring < small_ring && *nic.rx_ring < *nic.rx_ring_max) {
    tell(notes, "ring-small",
         nic.name + " has a receive ring of " + std::to_string(*nic.rx_ring) + " of at most " +
             std::to_string(*nic.rx_ring_max) + " frames: bursts may be dropped");
  }
}

void judge_bond(const Nic& nic, Notes& notes) {
  if (nic.kind != NicKind::bond || nic.lower.size() < 2) return;
  tell(notes, "bond-one-member",
       nic.name + " joins " + std::to_string(nic.lower.size()) +
           " links, but one connection uses one of them only");
}

void judge_route(const evidence::RouteFacts& route, const char* what, Notes& notes) {
  const std::string head = std::string("the way to ") + what + " (" + route.address + ") ";
  if (route.local) {
    warn(notes, "server-is-local",
         what + std::string(" (") + route.address +
             ") is this very machine: figures over it say nothing about a network");
    return;
  }
  if (route.wifi)
    warn(notes, "wifi", head + "leads over the radio of " + route.interface.value_or("an interface"));
  if (route.tunnel) warn(notes, "tunnel", head + "leads through the tunnel " + route.interface.value_or(""));
  if (route.gateway) {
    tell(notes, "gateway",
         head + "leads through the router " + *route.gateway +
             ": both are not in one subnet, and the router's speed counts");
  }
  if (route.neighbour_state == "failed" || route.neighbour_state == "incomplete") {
    warn(notes, "next-hop-silent",
         head + "has no answer from its next hop " + route.gateway.value_or(route.address) +
             ": it is off, or the subnet mask or VLAN is wrong");
  }
}

std::string way_text(const Facts& facts, const evidence::RouteFacts& route) {
  const Nic* nic = find(facts, route.interface);
  std::string text = route.address + " over " + route.interface.value_or("an unknown interface");
  if (nic != nullptr && nic->speed) text += " at " + speed_text(*nic->speed);
  return text;
}

void compare_routes(const Facts& facts, Notes& notes) {
  if (!facts.route || !facts.mount_route || facts.route->address == facts.mount_route->address) return;
  const auto is_v6 = [](const evidence::RouteFacts& route) {
    return route.address.find(':') != std::string::npos;
  };
  if (facts.route->interface == facts.mount_route->interface) {
    if (is_v6(*facts.route) != is_v6(*facts.mount_route)) return;  // the same host by both kinds of address
    tell(notes, "mount-other-way",
         "the mount goes to " + facts.mount_route->address + ", but --server is " + facts.route->address +
             "; both over " + facts.route->interface.value_or("?"));
    return;
  }
  warn(notes, "mount-other-way",
       "the mount goes to " + way_text(facts, *facts.mount_route) + ", but --server is " +
           way_text(facts, *facts.route));
}

// The subnet of "192.0.2.7/24" as one word. IPv4 only: of IPv6 every interface has several anyway.
std::optional<std::string> subnet_of(const std::string& address) {
  unsigned a = 0, b = 0, c = 0, d = 0, bits = 0;
  if (std::sscanf(address.c_str(), "%3u.%3u.%3u.%3u/%2u", &a, &b, &c, &d, &bits) != 5) return std::nullopt;
  if (bits == 0 || bits >= 32) return std::nullopt;
  const std::uint32_t whole = a << 24 | b << 16 | c << 8 | d;
  const std::uint32_t net = whole & ~((1U << (32 - bits)) - 1);
  return std::to_string(net) + "/" + std::to_string(bits);
}

void judge_subnets(const Facts& facts, Notes& notes) {
  const Nic* used = facts.route ? find(facts, facts.route->interface) : nullptr;
  if (used == nullptr) return;
  for (const std::string& address : used->addresses) {
    const auto subnet = subnet_of(address);
    for (const Nic& other : facts.nics) {
      if (&other == used || !subnet || other.state == "down") continue;
      for (const std::string& same : other.addresses) {
        if (subnet_of(same) != subnet) continue;
        warn(notes, "same-subnet-twice",
             used->name + " and " + other.name + " are in the same subnet (" + address + ", " + same +
                 "): traffic may take the one you don't expect");
      }
    }
  }
}

void judge_idle_nics(const Facts& facts, Notes& notes) {
  const Nic* used = facts.route ? find(facts, facts.route->interface) : nullptr;
  if (used == nullptr || !used->speed || facts.route->local) return;
  for (const Nic& other : facts.nics) {
    const auto& stack = facts.route->stack;
    if (other.kind != NicKind::ethernet || other.state != "up" || !other.speed) continue;
    if (std::find(stack.begin(), stack.end(), other.name) != stack.end() || *other.speed <= *used->speed)
      continue;
    warn(notes, "faster-nic-idle",
         other.name + " is linked at " + speed_text(*other.speed) + ", but the way to the server goes over " +
             used->name + " at " + speed_text(*used->speed));
  }
}

void judge_speed_known(const Facts& facts, Notes& notes) {
  if (!facts.route || facts.route->local || facts.route->wifi || facts.route->tunnel) return;
  const auto payload = route_payload(*facts.route, facts.nics);
  if (!payload.rate) tell(notes, "speed-unknown", "what the link can carry is unknown: " + payload.formula);
}

// A window of 1 MiB carries 8.4 Gbit/s at 1 ms round trip, and 840 Mbit/s at 10 ms.
constexpr ByteCount small_buffer = ByteCount::mebibytes(1);

void judge_tcp(const evidence::TcpSettings& tcp, Notes& notes) {
  const auto judge_buffer = [&](const auto& limits, const char* what) {
    if (!limits || limits->maximum >= small_buffer) return;
    const DataRate at_one_ms = limits->maximum / std::chrono::milliseconds(1);
    warn(notes, "small-buffers",
         std::string(what) + " is limited to " + measure::to_text(limits->maximum) +
             ": at a round trip of 1 ms one connection gets at most " + speed_text(at_one_ms));
  };
  judge_buffer(tcp.receive_buffer, "the receive buffer (tcp_rmem)");
  judge_buffer(tcp.send_buffer, "the send buffer (tcp_wmem)");
  if (tcp.window_scaling == false) {
    warn(notes, "no-window-scaling",
         "TCP window scaling is off: one connection has 64 KiB in flight at most");
  }
  if (tcp.selective_acks == false)
    warn(notes, "no-sack", "TCP selective acknowledgements are off: each loss costs far more");
  if (tcp.moderate_receive_buffer == false) {
    warn(notes, "no-autotuning", "the kernel doesn't adapt receive buffers (tcp_moderate_rcvbuf is 0)");
  }
}

void judge_processor(const evidence::HostFacts& host, Notes& notes) {
  // With intel_pstate and amd-pstate "powersave" is the ordinary dynamic setting.
  const bool dynamic = host.clock_driver && host.clock_driver->find("pstate") != std::string::npos;
  if (host.governor == "powersave" && !dynamic) {
    warn(notes, "powersave", "the processor's clock is held at its lowest (governor powersave)");
  }
  if (host.aes == false) {
    tell(notes, "no-aes", "the processor has no instructions for AES: SMB encryption and ssh will be slow");
  }
  if (host.cpu_quota_cores && host.cores && *host.cpu_quota_cores < *host.cores) {
    char text[128];
    std::snprintf(text, sizeof text,
                  "this process may use %.2f of %d cores only (a limit of its control group)",
                  *host.cpu_quota_cores, *host.cores);
    warn(notes, "cpu-quota", text);
  }
  if (host.clock_source == "hpet" || host.clock_source == "acpi_pm") {
    tell(notes, "slow-clock", "the kernel's clock is the slow " + *host.clock_source);
  }
}

void judge_memory(const evidence::HostFacts& host, Notes& notes) {
  if (host.memory && host.memory_available && *host.memory_available / *host.memory < 0.05) {
    warn(notes, "memory-short",
         "only " + measure::to_text(*host.memory_available) + " of " + measure::to_text(*host.memory) +
             " memory is available: caches can't work");
  }
  if (host.memory_pressure.value_or(0) > 0.1) {
    warn(notes, "swapping", "programs wait for memory (pressure over the last 10 s above 10 %)");
  }
}

}  // namespace

Notes surprises_in(const Facts& facts) {
  Notes notes;
  compare_routes(facts, notes);
  if (facts.route) judge_route(*facts.route, "the server", notes);
  if (facts.mount_route && (!facts.route || facts.mount_route->address != facts.route->address)) {
    judge_route(*facts.mount_route, "the mount's server", notes);
  }
  for (const Nic* nic : nics_on_the_way(facts)) {
    judge_bus(*nic, notes);
    judge_negotiation(*nic, notes);
    judge_bond(*nic, notes);
    judge_errors(*nic, notes);
    judge_settings(*nic, notes);
  }
  judge_idle_nics(facts, notes);
  judge_subnets(facts, notes);
  judge_speed_known(facts, notes);
  judge_tcp(facts.tcp, notes);
  judge_processor(facts.host, notes);
  judge_memory(facts.host, notes);
  return notes;
}

}  // namespace nasdiag::facts
