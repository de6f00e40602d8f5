#pragma once

// The options of a stream's socket that must be set before it connects or listens, because the handshake
// announces them (window scale, MSS), and those that come along.

#include <netbench/options.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace nasdiag::netbench {

struct SocketSettings {
  std::optional<std::int64_t> window;  // bytes, both buffers
  std::optional<int> segment_size;
  Nagle nagle = Nagle::on;
  std::optional<int> type_of_service;
  std::string congestion;
  std::optional<measure::DataRate> rate;  // paced by the kernel
};

// Throws std::system_error (Errc::socket_option or the system's code) that names the option.
void apply_settings(int fd, const SocketSettings& settings);

// Errors are ignored where the peer asked: a congestion control unknown here is no reason to refuse.
void apply_if_possible(int fd, const SocketSettings& settings);

void set_nodelay(int fd);
void set_blocking(int fd, bool blocking);
std::string congestion_control(int fd);
std::int64_t send_buffer_size(int fd);
std::int64_t receive_buffer_size(int fd);
// Bytes that have arrived and wait to be read.
std::optional<std::int64_t> receive_queue_size(int fd);

}  // namespace nasdiag::netbench
