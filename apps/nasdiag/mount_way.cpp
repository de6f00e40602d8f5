#include "nasdiag/mount_way.hpp"

#include <diagnose/facts/facts.hpp>
#include <diagnose/facts/link_payload.hpp>
#include <diagnose/observe/socket_diag.hpp>

#include <algorithm>
#include <system_error>

namespace nasdiag::app {

namespace {

bool has_bond(const evidence::RouteFacts& route, const std::vector<evidence::Nic>& nics) {
  return std::any_of(nics.begin(), nics.end(), [&](const evidence::Nic& nic) {
    return nic.kind == evidence::NicKind::bond &&
           std::find(route.stack.begin(), route.stack.end(), nic.name) != route.stack.end();
  });
}

}  // namespace

std::optional<measure::DataRate> link_rate_to(const filebench::Mount& mount) {
  if (!mount.is_network()) return std::nullopt;
  // Channels of SMB may each take a link of its own.
  if (mount.kind == filebench::MountKind::cifs && mount.connections > 1) return std::nullopt;
  const evidence::Facts facts = facts::read_facts({.mount = mount});
  const auto& route = facts.mount_route;
  if (!route || route->local || has_bond(*route, facts.nics)) return std::nullopt;
  return facts::route_payload(*route, facts.nics).high;
}

std::optional<std::chrono::microseconds> round_trip_to(const filebench::Mount& mount) {
  if (!mount.is_network() || mount.address.empty()) return std::nullopt;
  std::optional<std::chrono::microseconds> shortest;
  try {
    observe::SocketDiag sockets;
    for (const observe::SocketState& socket :
         sockets.connections_to(mount.address, observe::Families::both)) {
      if (mount.port && socket.peer_port != *mount.port) continue;
      const auto round_trip = socket.info.minimum_rtt.value_or(socket.info.rtt);
      if (round_trip.count() > 0) shortest = std::min(shortest.value_or(round_trip), round_trip);
    }
  } catch (const std::system_error&) {
    return std::nullopt;  // the kernel can't be asked: the judgement does without
  }
  return shortest;
}

}  // namespace nasdiag::app
