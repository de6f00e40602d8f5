#include "endpoint.hpp"
#include "path_probe.hpp"
#include "route.hpp"
#include "rtt_probe.hpp"
#include "tcp_info.hpp"

#include <netbench/error.hpp>
#include <netbench/path.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace nasdiag::netbench {

namespace {

using Kind = PacketFate::Kind;

constexpr int kSmallest = 1280;  // every path must carry this for IPv6, and does for IPv4
constexpr int kStep = 8;         // bytes to which a black hole's edge is found by halving
// Then what is usual: jumbo frames, Ethernet, PPPoE, tunnels, WireGuard, mobile networks.
constexpr std::array kUsualSizes{9000, 8192, 4470, 1500, 1492, 1480, 1476, 1460, 1450, 1440,
                                 1436, 1428, 1420, 1412, 1400, 1380, 1358, 1350, 1340, 1300};
constexpr std::uint32_t kTimestamps = 12;  // bytes of them in a TCP header
constexpr int kLargestPacket = 65'535;
constexpr int kMostHops = 8;
constexpr int kMostSilentHops = 2;
constexpr int kHandshakes = 5;

// Finds the largest packet that arrives. Only an answer proves that one did; silence is asked twice.
class MtuSearch {
 public:
  MtuSearch(PathProbe& probe, std::chrono::milliseconds patience, const std::stop_token& stop)
      : probe_(probe), patience_(patience), stop_(stop) {}

  MtuProbe run(int interface_mtu) {
    const int largest = std::min(interface_mtu, kLargestPacket);  // loopback claims one byte more than fits
    result_.path_mtu = std::min(kSmallest, largest);
    if (try_size(largest)) return result_;
    if (result_.reported_mtu && *result_.reported_mtu < largest && try_size(*result_.reported_mtu))
      return result_;
    search_edge(result_.reported_mtu.value_or(largest));
    result_.black_hole = !result_.reported_mtu || *result_.path_mtu + kStep < *result_.reported_mtu;
    return result_;
  }

 private:
  bool try_size(int size) {
    if (!arrives(size)) return false;
    result_.path_mtu = size;
    return true;
  }

  bool arrives(int size) {
    for (int attempt = 0; attempt < 2 && !stop_.stop_requested(); ++attempt) {
      const PacketFate fate = probe_.send(size, 0, patience_);
      if (fate.kind == Kind::arrived) return true;
      if (fate.kind == Kind::too_big && fate.mtu > 0) {
        result_.reported_mtu = fate.mtu;
        result_.reported_by = fate.from.empty() ? "this machine" : fate.from;
        return false;
      }
      if (fate.kind == Kind::refused) return false;
    }
    return false;
  }

  void search_edge(int lost) {
    int good = *result_.path_mtu;
    while (lost - good > kStep && !stop_.stop_requested()) {
      const int middle = good + (lost - good) / 2;
      (arrives(middle) ? good : lost) = middle;
    }
    for (const int size : kUsualSizes) {
      if (size > good && size < lost && arrives(size)) good = size;
    }
    result_.path_mtu = good;
  }

  PathProbe& probe_;
  std::chrono::milliseconds patience_;
  const std::stop_token& stop_;
  MtuProbe result_;
};

std::optional<int> count_hops(PathProbe& probe, std::chrono::milliseconds patience,
                              const std::stop_token& stop) {
  int silent = 0;
  for (int ttl = 1; ttl <= kMostHops && !stop.stop_requested(); ++ttl) {
    const PacketFate fate = probe.send(kSmallest / 2, ttl, patience);
    if (fate.kind == Kind::arrived) return ttl - 1;
    if (fate.kind == Kind::vanished && ++silent > kMostSilentHops) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::chrono::microseconds> time_handshakes(const Endpoint& host, const PathOptions& options) {
  sockaddr_storage address{};
  std::memcpy(&address, host.data(), host.size());
  std::vector<std::chrono::microseconds> times;
  for (int i = 0; i < kHandshakes; ++i) {
    const auto time = time_closed_port(address, static_cast<socklen_t>(host.size()), options.answer_timeout);
    if (!time) break;
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(*time));
  }
  return times;
}

// A way of probing that the host answers.
struct Answering {
  PathProbe probe;
  const char* method;
};

std::optional<Answering> answering_probe(const Endpoint& host, const Origin& origin,
                                         std::chrono::milliseconds patience) {
  for (const ProbePacket packet : {ProbePacket::udp, ProbePacket::echo}) {
    try {
      PathProbe probe(host, origin, packet);
      const bool answered = probe.send(kSmallest, 0, patience).kind == Kind::arrived ||
                            probe.send(kSmallest, 0, patience).kind == Kind::arrived;
      if (answered) return Answering{std::move(probe), packet == ProbePacket::udp ? "udp" : "icmp"};
    } catch (const std::system_error&) {
      // Not allowed here, most likely: the next way may be.
      continue;
    }
  }
  return std::nullopt;
}

// What the two ends of a connection settled on, which no packet has proven yet.
std::optional<int> mtu_of_connection(const Endpoint& host, std::chrono::milliseconds patience) {
  const UniqueFd fd = connect_within(host.data(), static_cast<socklen_t>(host.size()), patience);
  if (!fd.valid()) return std::nullopt;
  const auto info = read_tcp_info(fd.get(), measure::Seconds(0));
  if (!info || info->segment_size == 0) return std::nullopt;
  const std::uint32_t headers = (host.address().is_v6() ? 60 : 40) + kTimestamps;
  return static_cast<int>(std::min(info->path_mtu, info->segment_size + headers));
}

void probe_path(PathFacts& facts, const Endpoint& host, const PathOptions& options,
                const std::stop_token& stop) {
  const Origin origin{options.bind_address, options.bind_interface};
  facts.hops = facts.local || facts.gateway.empty() ? std::optional(0) : std::nullopt;
  auto answering = answering_probe(host, origin, options.answer_timeout);
  if (answering) {
    facts.mtu = MtuSearch(answering->probe, options.answer_timeout, stop).run(interface_mtu(facts.interface));
    facts.mtu.method = answering->method;
    if (!facts.hops) facts.hops = count_hops(answering->probe, options.answer_timeout, stop);
  } else if (const auto agreed = mtu_of_connection(host, options.answer_timeout)) {
    facts.mtu.path_mtu = agreed;
    facts.mtu.method = "tcp";
  }
  facts.mtu.interface_mtu = interface_mtu(facts.interface);
}

void note_what_is_odd(PathFacts& facts) {
  if (facts.mtu.black_hole) {
    facts.notes.push_back(
        {.code = "mtu-black-hole",
         .severity = measure::Severity::warning,
         .text = "Packets larger than " + std::to_string(facts.mtu.path_mtu.value_or(0)) +
                 " bytes vanish on the way without a word, though this interface sends up to " +
                 std::to_string(facts.mtu.interface_mtu) +
                 ": an MTU is set wrong at the other end or in between."});
  }
  if (facts.local) {
    facts.notes.push_back({.code = "local",
                           .severity = measure::Severity::warning,
                           .text = "The host is this machine: its figures say nothing about a network."});
  }
}

}  // namespace

PathFacts explore_path(const PathOptions& options, const std::stop_token& stop) {
  const Bound lookup = Bound::within(std::chrono::seconds(5), stop);
  const std::vector<Endpoint> hosts = resolve(options.host, options.port, options.family, lookup);
  const auto route = find_route(hosts.front(), options.bind_interface);
  if (!route)
    throw std::system_error(Errc::unreachable, "there is no route to " + address_text(hosts.front()));
  PathFacts facts;
  for (const Endpoint& host : hosts) facts.addresses.push_back(address_text(host));
  facts.address = facts.addresses.front();
  facts.local_address = options.bind_address.empty() ? route->source : options.bind_address;
  facts.interface = route->interface;
  facts.gateway = route->gateway;
  facts.local = route->local;
  facts.connect_times = time_handshakes(hosts.front(), options);
  probe_path(facts, hosts.front(), options, stop);
  note_what_is_odd(facts);
  return facts;
}

}  // namespace nasdiag::netbench
