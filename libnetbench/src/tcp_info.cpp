#include "tcp_info.hpp"

#include "socket_settings.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace nasdiag::netbench {

namespace {

using measure::ByteCount;
using measure::DataRate;
using std::chrono::microseconds;

constexpr std::size_t kOldestLength = 104;  // what every kernel in use returns

// Reads fields by their offset in the kernel's struct: headers are older than kernels, and the other way
// round.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Integer>
  std::optional<Integer> get(std::size_t offset) const {
    if (offset + sizeof(Integer) > bytes_.size()) return std::nullopt;
    Integer value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::uint32_t u32(std::size_t offset) const { return get<std::uint32_t>(offset).value_or(0); }
  std::optional<ByteCount> bytes64(std::size_t offset) const {
    const auto value = get<std::uint64_t>(offset);
    return value ? std::optional(ByteCount::bytes(static_cast<std::int64_t>(*value))) : std::nullopt;
  }
  std::optional<ByteCount> bytes32(std::size_t offset) const {
    const auto value = get<std::uint32_t>(offset);
    return value ? std::optional(ByteCount::bytes(*value)) : std::nullopt;
  }
  std::optional<microseconds> time64(std::size_t offset) const {
    const auto value = get<std::uint64_t>(offset);
    return value ? std::optional(microseconds(static_cast<std::int64_t>(*value))) : std::nullopt;
  }
  std::optional<std::uint64_t> count32(std::size_t offset) const { return get<std::uint32_t>(offset); }
  std::optional<DataRate> rate64(std::size_t offset) const {
    const auto value = get<std::uint64_t>(offset);
    if (!value || *value == UINT64_MAX) return std::nullopt;  // "no limit"
    return DataRate::bytes_per_second(static_cast<double>(*value));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

std::optional<TcpInfoSample> parse_tcp_info(std::span<const std::byte> bytes, measure::Seconds time) {
  if (bytes.size() < kOldestLength) return std::nullopt;
  const Fields fields(bytes);
  TcpInfoSample sample;
  sample.time = time;
  sample.segment_size = fields.u32(16);
  sample.receive_segment_size = fields.u32(20);
  sample.path_mtu = fields.u32(60);
  sample.rtt = microseconds(fields.u32(68));
  sample.rtt_variation = microseconds(fields.u32(72));
  sample.slow_start_threshold = fields.u32(76);
  sample.congestion_window = fields.u32(80);
  sample.retransmits = fields.u32(100);
  sample.pacing_rate = fields.rate64(104);
  sample.acknowledged = fields.bytes64(120);
  sample.received = fields.bytes64(128);
  sample.not_sent = fields.bytes32(144);
  const std::uint32_t min_rtt = fields.u32(148);
  sample.min_rtt = microseconds(min_rtt == UINT32_MAX ? 0 : min_rtt);
  sample.segments_sent = fields.count32(156);
  sample.delivery_rate = fields.rate64(160);
  sample.busy = fields.time64(168);
  sample.receive_window_limited = fields.time64(176);
  sample.send_buffer_limited = fields.time64(184);
  sample.sent = fields.bytes64(200);
  sample.retransmitted = fields.bytes64(208);
  sample.spurious_retransmits = fields.count32(216);
  sample.reorderings = fields.count32(220);
  sample.peer_window = fields.bytes32(228);
  sample.own_window = fields.bytes32(232);
  if (const std::uint32_t rtt = fields.u32(92); rtt > 0) sample.receiver_rtt = microseconds(rtt);
  if (const auto timeouts = fields.get<std::uint16_t>(240)) sample.timeouts = *timeouts;
  return sample;
}

std::optional<TcpInfoSample> read_tcp_info(int fd, measure::Seconds time) {
  std::array<std::byte, 512> bytes{};
  socklen_t length = bytes.size();
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, bytes.data(), &length) != 0) return std::nullopt;
  auto sample = parse_tcp_info(std::span(bytes).first(length), time);
  if (!sample) return std::nullopt;
  if (const auto queue = receive_queue_size(fd)) sample->receive_queue = ByteCount::bytes(*queue);
  return sample;
}

}  // namespace nasdiag::netbench
