#pragma once

// What can be learnt about the way to a host without root and within a second or two: addresses, egress,
// round trip, the largest packet that gets through, routers in between.

#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <netbench/options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nasdiag::netbench {

struct MtuProbe {
  int interface_mtu = 0;
  std::optional<int> path_mtu;  // the largest packet that is known to arrive
  // "udp", "icmp": what the answer came to. "tcp": neither was answered; what the ends of a connection to the
  // server's port settled on. Empty: nothing answered.
  std::string method;
  bool black_hole = false;          // larger packets vanish in silence
  std::optional<int> reported_mtu;  // by a router on the way
  std::string reported_by;          // its address
  bool operator==(const MtuProbe&) const = default;
};

struct PathFacts {
  std::vector<std::string> addresses;  // all of the name, in the resolver's order
  std::string address;                 // the one used
  std::string local_address;
  std::string interface;
  std::string gateway;                                   // empty: directly connected
  bool local = false;                                    // the host is this machine
  std::optional<int> hops;                               // routers in between, counted by TTL
  std::vector<std::chrono::microseconds> connect_times;  // handshakes with a closed port, one after the other
  MtuProbe mtu;
  measure::Notes notes;
  bool operator==(const PathFacts&) const = default;
};

struct PathOptions {
  std::string host;
  std::uint16_t port = 5201;
  AddressFamily family = AddressFamily::any;
  std::string bind_address;
  std::string bind_interface;
  std::chrono::milliseconds answer_timeout{250};  // for one packet
};

// Throws std::system_error if the name doesn't resolve or there is no route.
PathFacts explore_path(const PathOptions& options, const std::stop_token& stop);

}  // namespace nasdiag::netbench
