#pragma once

// Whom a process talks to over TCP: the kernel's tables of its sockets.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

struct TcpPeer {
  std::string address;  // numeric; an IPv4 address mapped into IPv6 as IPv4
  std::uint16_t port = 0;
  bool operator==(const TcpPeer&) const = default;
};

// Established connections, those within this machine (127.0.0.0/8, ::1) left out, whose socket is one of
// `inodes`. `table`: the text of /proc/PID/net/tcp or tcp6.
std::vector<TcpPeer> peers_in_table(std::string_view table, const std::set<std::int64_t>& inodes);

// The one host that a process has connections to; nothing if there is none, more than one, or the process
// belongs to another user.
std::optional<TcpPeer> only_peer(const std::filesystem::path& root, int pid);

}  // namespace nasdiag::filebench
