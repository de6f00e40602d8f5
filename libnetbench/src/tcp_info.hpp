#pragma once

#include <netbench/result.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace nasdiag::netbench {

// The kernel's TCP_INFO of a socket; nothing if it is none.
std::optional<TcpInfoSample> read_tcp_info(int fd, measure::Seconds time);

// The same from the bytes the kernel returned: how many there are says which fields it knows.
std::optional<TcpInfoSample> parse_tcp_info(std::span<const std::byte> bytes, measure::Seconds time);

}  // namespace nasdiag::netbench
