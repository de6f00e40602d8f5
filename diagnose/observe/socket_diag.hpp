#pragma once

// TCP_INFO of any socket of this network namespace, kernel-owned ones included, through sock_diag.

#include <diagnose/facts/netlink.hpp>
#include <diagnose/observe/counters.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::observe {

// A program may reach an IPv4 address through an IPv6 socket; few do.
enum class Families { own, both };

class SocketDiag {
 public:
  // Throws std::system_error if the kernel can't be asked.
  SocketDiag();

  // Established connections to an address, to any port. The kernel walks through its whole table for this,
  // which takes milliseconds on a host with much memory, however few connections it has.
  std::vector<SocketState> connections_to(const std::string& address, Families families);
  // The same connection later: microseconds. Nothing if it is gone.
  std::optional<SocketState> read_again(const SocketState& socket);

 private:
  facts::NetlinkSocket netlink_;
};

}  // namespace nasdiag::observe
