#pragma once

#include "endpoint.hpp"

#include <optional>
#include <string>

namespace nasdiag::netbench {

// The kernel's answer to "how would a packet get there?".
struct Route {
  std::string interface;
  std::string gateway;  // empty: directly connected
  std::string source;   // our address
  bool local = false;   // the destination is this machine
};

// Nothing if there is no route or netlink can't be asked.
std::optional<Route> find_route(const Endpoint& destination, const std::string& interface);

int interface_mtu(const std::string& interface);  // 0: unknown

}  // namespace nasdiag::netbench
