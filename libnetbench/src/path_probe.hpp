#pragma once

// Single packets that must not be fragmented, to a UDP port that nobody serves, and what becomes of them.

#include "endpoint.hpp"
#include "unique_fd.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace nasdiag::netbench {

struct PacketFate {
  enum class Kind {
    arrived,   // the host said that nobody serves the port
    too_big,   // a router, or our own kernel, said so
    expired,   // a router dropped it because its TTL was over
    vanished,  // nobody said anything
    refused    // the kernel wouldn't send it, or another error came back
  };
  Kind kind = Kind::vanished;
  int mtu = 0;       // with too_big
  std::string from;  // who said it; empty: our kernel
};

class PathProbe {
 public:
  // Throws std::system_error if the socket can't be made or connected.
  PathProbe(const Endpoint& host, const Origin& origin);

  // A packet of `size` bytes with its IP header. ttl 0: the default.
  PacketFate send(int size, int ttl, std::chrono::milliseconds longest) const;

 private:
  PacketFate wait_for_fate(std::chrono::milliseconds longest) const;
  std::optional<PacketFate> read_fate() const;
  int known_mtu() const;

  UniqueFd fd_;
  bool v6_;
};

}  // namespace nasdiag::netbench
