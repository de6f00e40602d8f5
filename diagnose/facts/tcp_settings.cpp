#include <diagnose/facts/tcp_settings.hpp>
#include <diagnose/facts/text.hpp>

namespace nasdiag::facts {

namespace fs = std::filesystem;

namespace {

std::optional<evidence::BufferLimits> read_buffer_limits(const fs::path& file) {
  const auto line = read_line(file);
  return line ? parse_buffer_limits(*line) : std::nullopt;
}

std::optional<bool> read_switch(const fs::path& file) {
  const auto value = read_integer(file);
  if (!value) return std::nullopt;
  return *value != 0;
}

std::optional<measure::ByteCount> read_bytes(const fs::path& file) {
  const auto value = read_integer(file);
  if (!value) return std::nullopt;
  return measure::ByteCount::bytes(*value);
}

}  // namespace

std::optional<evidence::BufferLimits> parse_buffer_limits(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() != 3) return std::nullopt;
  const auto minimum = to_number(words[0]), initial = to_number(words[1]), maximum = to_number(words[2]);
  if (!minimum || !initial || !maximum) return std::nullopt;
  using measure::ByteCount;
  return evidence::BufferLimits{.minimum = ByteCount::bytes(*minimum),
                                .initial = ByteCount::bytes(*initial),
                                .maximum = ByteCount::bytes(*maximum)};
}

evidence::TcpSettings read_tcp_settings(const fs::path& root) {
  const fs::path core = root / "proc/sys/net/core", ipv4 = root / "proc/sys/net/ipv4";
  evidence::TcpSettings settings;
  settings.congestion_control = read_line(ipv4 / "tcp_congestion_control");
  if (const auto available = read_line(ipv4 / "tcp_available_congestion_control")) {
    for (const std::string_view word : words_of(*available))
      settings.available_congestion_controls.emplace_back(word);
  }
  settings.queue_discipline = read_line(core / "default_qdisc");
  settings.receive_buffer = read_buffer_limits(ipv4 / "tcp_rmem");
  settings.send_buffer = read_buffer_limits(ipv4 / "tcp_wmem");
  settings.receive_buffer_maximum = read_bytes(core / "rmem_max");
  settings.send_buffer_maximum = read_bytes(core / "wmem_max");
  settings.timestamps = read_switch(ipv4 / "tcp_timestamps");
  settings.window_scaling = read_switch(ipv4 / "tcp_window_scaling");
  settings.selective_acks = read_switch(ipv4 / "tcp_sack");
  settings.moderate_receive_buffer = read_switch(ipv4 / "tcp_moderate_rcvbuf");
  if (const auto probing = read_integer(ipv4 / "tcp_mtu_probing"))
    settings.mtu_probing = static_cast<int>(*probing);
  return settings;
}

}  // namespace nasdiag::facts
