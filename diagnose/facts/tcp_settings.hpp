#pragma once

// The kernel's TCP settings below proc/sys/net that decide how fast one connection can be.

#include <diagnose/evidence/facts.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace nasdiag::facts {

// "4096\t131072\t6291456"
std::optional<evidence::BufferLimits> parse_buffer_limits(std::string_view text);

evidence::TcpSettings read_tcp_settings(const std::filesystem::path& root);

}  // namespace nasdiag::facts
