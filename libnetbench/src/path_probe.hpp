#pragma once

// Single packets that must not be fragmented, and what becomes of them.

#include "endpoint.hpp"
#include "unique_fd.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::netbench {

struct PacketFate {
  enum class Kind {
    arrived,   // the host answered
    too_big,   // a router, or our own kernel, said so
    expired,   // a router dropped it because its TTL was over
    vanished,  // nobody said anything
    refused    // the kernel wouldn't send it, or another error came back
  };
  Kind kind = Kind::vanished;
  int mtu = 0;       // with too_big
  std::string from;  // who said it; empty: our kernel
};

// udp: to a port that nobody serves, which the host says. echo: ICMP, where net.ipv4.ping_group_range allows
// it.
enum class ProbePacket { udp, echo };

class PathProbe {
 public:
  // Throws std::system_error if the socket can't be made or connected.
  PathProbe(const Endpoint& host, const Origin& origin, ProbePacket packet);

  // A packet of `size` bytes with its IP header. ttl 0: the default.
  PacketFate send(int size, int ttl, std::chrono::milliseconds longest);

 private:
  std::vector<std::byte> next_packet(int size);
  PacketFate wait_for_fate(std::chrono::milliseconds longest) const;
  std::optional<PacketFate> read_error() const;
  bool read_answer() const;
  int known_mtu() const;

  UniqueFd fd_;
  bool v6_;
  ProbePacket packet_;
  std::uint16_t sequence_ = 0;  // of echo requests
};

}  // namespace nasdiag::netbench
