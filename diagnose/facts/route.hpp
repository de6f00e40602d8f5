#pragma once

// The way to the server: which interface, which source address, gateway or not.

#include <diagnose/evidence/facts.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::facts {

// A name or address as numeric address. Waits at most `timeout`; a resolver that takes longer is left
// behind on a thread of its own. Nothing if it doesn't resolve in time.
std::optional<std::string> numeric_address(const std::string& host, std::chrono::milliseconds timeout);

// Asks the kernel (RTM_GETROUTE, RTM_GETNEIGH). Throws std::system_error if it doesn't answer or there is no
// route. `stack`, `tunnel` and `wifi` stay empty: see describe_stack().
evidence::RouteFacts look_up_route(const std::string& server, const std::string& address);

// Addresses of each interface as "192.0.2.7/24". Throws std::system_error.
std::map<std::string, std::vector<std::string>> interface_addresses();

// Fills stack, tunnel and wifi from what is known of the interfaces. Of a bridge's ports only those count
// that lead out of the host.
void describe_stack(evidence::RouteFacts& route, const std::vector<evidence::Nic>& nics);

}  // namespace nasdiag::facts
