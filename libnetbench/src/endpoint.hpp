#pragma once

// Names to addresses, and connecting with a bound.

#include "channel.hpp"
#include "socket_settings.hpp"

#include <netbench/options.hpp>

#include <string>
#include <vector>

namespace nasdiag::netbench {

using Endpoint = asio::ip::tcp::endpoint;

// Every address of the name, in the resolver's order. Throws Errc::unknown_host; Errc::timed_out or
// Errc::stopped if the resolver doesn't answer within the bound (it is left behind on a thread of its own
// then).
std::vector<Endpoint> resolve(const std::string& host, std::uint16_t port, AddressFamily family,
                              const Bound& bound);

struct Origin {
  std::string address;    // empty: the kernel chooses
  std::string interface;  // empty: the routing table chooses
};

// A connected socket. Throws std::system_error: Errc::refused, Errc::unreachable, Errc::timed_out,
// Errc::stopped.
asio::awaitable<asio::ip::tcp::socket> connect(Endpoint peer, Origin origin, SocketSettings settings,
                                               Bound bound);

// "192.168.1.2", "fe80::1%eth0".
std::string address_text(const Endpoint& endpoint);
// "192.168.1.2:5201", "[fe80::1%eth0]:5201".
std::string endpoint_text(const Endpoint& endpoint);

}  // namespace nasdiag::netbench
