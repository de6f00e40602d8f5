#include "endpoint.hpp"
#include "path_probe.hpp"
#include "route.hpp"
#include "rtt_probe.hpp"

#include <netbench/error.hpp>
#include <netbench/path.hpp>

#include <algorithm>
#include <cstring>

namespace nasdiag::netbench {

namespace {

using Kind = PacketFate::Kind;

constexpr int kSmallest = 1280;  // every path must carry this for IPv6, and does for IPv4
constexpr int kStep = 8;         // bytes to which a black hole's edge is found
constexpr int kLargestPacket = 65'535;
constexpr int kMostHops = 8;
constexpr int kMostSilentHops = 2;
constexpr int kHandshakes = 5;

// Finds the largest packet that arrives. Only an answer proves that one did; silence is asked twice.
class MtuSearch {
 public:
  MtuSearch(const PathProbe& probe, std::chrono::milliseconds patience, const std::stop_token& stop)
      : probe_(probe), patience_(patience), stop_(stop) {}

  MtuProbe run(int interface_mtu) {
    result_.interface_mtu = interface_mtu;
    const int largest = std::min(interface_mtu, kLargestPacket);  // loopback claims one byte more than fits
    if (!arrives(std::min(kSmallest, largest))) return result_;   // nothing answers: nothing can be said
    result_.method = "udp";
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
    result_.path_mtu = good;
  }

  const PathProbe& probe_;
  std::chrono::milliseconds patience_;
  const std::stop_token& stop_;
  MtuProbe result_;
};

std::optional<int> count_hops(const PathProbe& probe, std::chrono::milliseconds patience,
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
  const PathProbe probe(hosts.front(), Origin{options.bind_address, options.bind_interface});
  facts.mtu = MtuSearch(probe, options.answer_timeout, stop).run(interface_mtu(route->interface));
  facts.hops = facts.local || facts.gateway.empty() ? std::optional(0)
                                                    : count_hops(probe, options.answer_timeout, stop);
  note_what_is_odd(facts);
  return facts;
}

}  // namespace nasdiag::netbench
