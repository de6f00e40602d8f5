#pragma once

// Why a flow is not faster, as far as one run's own numbers tell. A pure function.

#include <measure/quantity.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::netbench {

enum class Limit {
  unknown,         // the numbers don't single one out
  path_rate,       // the slowest piece of the way (link, switch, router) is full
  congestion,      // losses keep the congestion window small
  receive_window,  // the receiver's buffer, or a receiver that reads too slowly
  send_buffer,     // the sender's buffer is smaller than the way holds
  sender,          // the sending program or its CPU delivers no faster
  receiver,        // the receiving program or its CPU takes no faster
  pacing           // the rate that was asked for
};

constexpr const char* to_string(Limit limit) {
  switch (limit) {
    case Limit::unknown:
      return "unknown";
    case Limit::path_rate:
      return "path-rate";
    case Limit::congestion:
      return "congestion";
    case Limit::receive_window:
      return "receive-window";
    case Limit::send_buffer:
      return "send-buffer";
    case Limit::sender:
      return "sender";
    case Limit::receiver:
      return "receiver";
    case Limit::pacing:
      return "pacing";
  }
  return "unknown";
}

// What one direction of a run showed. Shares are of the observed time, 0 to 1; what could not be seen is
// absent.
struct LimitInput {
  measure::DataRate throughput;
  int streams = 1;

  // From the sender's TCP_INFO, mean over the streams unless said otherwise.
  std::optional<double> busy_share;            // the kernel had data to send
  std::optional<double> receive_window_share;  // of it, waited for the receiver's window
  std::optional<double> send_buffer_share;     // of it, waited for the sender's buffer
  std::optional<double> retransmitted_share;   // of the segments
  std::optional<double> spurious_share;        // of the retransmits, were unnecessary (DSACK)
  std::optional<std::uint64_t> timeouts;       // retransmission timeouts, all streams
  std::optional<std::uint32_t> segment_size;   // bytes
  std::optional<std::chrono::microseconds> rtt_unloaded;
  std::optional<std::chrono::microseconds> rtt_loaded;
  std::optional<measure::ByteCount> in_flight_window;         // congestion window, per stream, median
  std::optional<measure::ByteCount> smallest_receive_window;  // announced by the receiver, per stream
  std::optional<measure::ByteCount> typical_receive_window;   // median, per stream
  std::optional<measure::ByteCount> not_sent;     // waiting in the send buffer, per stream, median
  std::optional<measure::ByteCount> send_buffer;  // SO_SNDBUF, per stream

  // The programs. CPU as cores: 1.0 = one core full. busiest_thread is of one core.
  std::optional<double> sender_cpu;
  std::optional<double> receiver_cpu;
  std::optional<double> sender_busiest_thread;
  std::optional<double> receiver_busiest_thread;
  std::optional<double> receive_queue_share;  // samples in which the receiver's kernel buffer was nearly full

  std::optional<measure::DataRate> asked_rate;    // all streams together
  std::optional<measure::DataRate> link_payload;  // what the slowest known link carries
  bool operator==(const LimitInput&) const = default;
};

struct LimitFinding {
  Limit limit = Limit::unknown;
  std::vector<std::string> evidence;  // one sentence with its numbers each
  bool operator==(const LimitFinding&) const = default;
};

LimitFinding classify_limit(const LimitInput& input);

}  // namespace nasdiag::netbench
