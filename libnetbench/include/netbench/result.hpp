#pragma once

// What a TCP measurement saw. Plain values; what could not be read is absent, never zero.

#include <measure/change_point.hpp>
#include <measure/latency_histogram.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <measure/sample_series.hpp>
#include <measure/steady_state.hpp>
#include <measure/trend.hpp>
#include <netbench/limit.hpp>
#include <netbench/options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::netbench {

// The kernel's TCP_INFO of one stream at one moment. Counters run since the connection was made.
struct TcpInfoSample {
  measure::Seconds time{0};  // since the start of the test
  std::chrono::microseconds rtt{0};
  std::chrono::microseconds rtt_variation{0};
  std::chrono::microseconds min_rtt{0};  // of the last five minutes; 0 = none yet
  std::uint32_t segment_size = 0;        // bytes
  std::uint32_t receive_segment_size = 0;
  std::uint32_t path_mtu = 0;
  std::uint32_t congestion_window = 0;  // segments
  std::uint32_t slow_start_threshold = 0;
  std::uint64_t retransmits = 0;  // segments
  std::optional<measure::DataRate> pacing_rate;
  std::optional<measure::ByteCount> acknowledged;
  std::optional<measure::ByteCount> received;
  std::optional<measure::ByteCount> not_sent;
  std::optional<std::uint64_t> segments_sent;  // with data
  std::optional<measure::DataRate> delivery_rate;
  std::optional<std::chrono::microseconds> busy;
  std::optional<std::chrono::microseconds> receive_window_limited;  // part of busy
  std::optional<std::chrono::microseconds> send_buffer_limited;     // part of busy
  std::optional<measure::ByteCount> sent;
  std::optional<measure::ByteCount> retransmitted;
  std::optional<std::uint64_t> spurious_retransmits;  // reported by the receiver (DSACK)
  std::optional<std::uint64_t> reorderings;
  std::optional<measure::ByteCount> peer_window;    // the receiver's, as last announced
  std::optional<std::uint64_t> timeouts;            // retransmission timeouts
  std::optional<measure::ByteCount> receive_queue;  // waiting for our program
  std::optional<measure::ByteCount> own_window;     // announced by us
  // Estimated by a receiver from the answers to its acknowledgements, queues included; in whole milliseconds
  // before Linux 6.15.
  std::optional<std::chrono::microseconds> receiver_rtt;
  bool operator==(const TcpInfoSample&) const = default;
};

// Percent of one core, as the two ends of iperf3 report it: whole process, during the test; above 100 for
// several threads.
struct CpuUse {
  double total = 0;
  double user = 0;
  double system = 0;
  bool operator==(const CpuUse&) const = default;
};

struct StreamResult {
  int id = 0;                                  // iperf3's numbering: 1, 3, 4, …
  std::optional<measure::ByteCount> sent;      // by the sender, its socket buffer included
  std::optional<measure::ByteCount> received;  // by the receiver
  std::optional<std::int64_t> retransmits;     // segments, counted by the sender
  measure::SampleSeries series;                // as DirectionResult::source says
  std::vector<TcpInfoSample> tcp_info;         // our end of the stream
  bool operator==(const StreamResult&) const = default;
};

// Whose count a series is. `acknowledged` = by the receiver's kernel, seen at the sender: what arrived,
// without what still waits in our socket buffers. `sent` only where the kernel doesn't tell.
enum class SeriesSource { received, acknowledged, sent };

constexpr const char* to_string(SeriesSource source) {
  switch (source) {
    case SeriesSource::received:
      return "received";
    case SeriesSource::acknowledged:
      return "acknowledged";
    case SeriesSource::sent:
      return "sent";
  }
  return "received";
}

struct DirectionResult {
  measure::Direction direction = measure::Direction::write;
  measure::DataRate
      throughput;  // the figure: payload at the receiver over the steady window (whole run if there is none)
  measure::SampleSeries series;  // all streams together, from the end of omit on
  SeriesSource source = SeriesSource::received;
  std::optional<measure::Precision> precision;  // over the steady window of `series`
  std::vector<measure::ChangePoint> change_points;
  std::optional<measure::Trend> trend;

  // Whole run after omit, by each end's own count and clock.
  measure::ByteCount sent;
  measure::ByteCount received;
  measure::Seconds sender_time{0};
  measure::Seconds receiver_time{0};
  measure::DataRate sender_rate() const { return sent / sender_time; }
  measure::DataRate receiver_rate() const { return received / receiver_time; }

  std::optional<std::int64_t> retransmits;  // segments, all streams
  std::string congestion;                   // used by the sender; empty if it didn't say
  std::string sending_method;               // "write", "vmsplice", …; empty if the peer sends
  std::vector<StreamResult> streams;
  LimitInput limit_input;
  LimitFinding limit;
  bool operator==(const DirectionResult&) const = default;
};

enum class StopReason { time_over, amount_reached, precise, stopped, peer_ended };

constexpr const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::time_over:
      return "time-over";
    case StopReason::amount_reached:
      return "amount-reached";
    case StopReason::precise:
      return "precise";
    case StopReason::stopped:
      return "stopped";
    case StopReason::peer_ended:
      return "peer-ended";
  }
  return "time-over";
}

// RTT by a probe of its own, beside the bulk.
struct RttSeries {
  std::string method;  // "echo" (another nasdiag), "icmp", "connect"
  measure::LatencyHistogram idle;
  measure::LatencyHistogram loaded;
  std::uint64_t lost = 0;
  bool operator==(const RttSeries&) const = default;
};

struct TcpResult {
  TcpOptions options;                  // without the credentials
  std::vector<std::string> addresses;  // all that the name stands for
  std::string local_address;           // as used by the test
  std::uint16_t local_port = 0;        // of the control connection
  std::string remote_address;
  std::uint16_t remote_port = 0;
  std::chrono::microseconds connect_time{
      0};                          // of the control connection: one round trip and the server's accept queue
  std::uint32_t segment_size = 0;  // MSS of the first stream
  measure::ByteCount block_size;
  measure::ByteCount send_buffer;  // of the first stream at the end of the test, as the kernel counts it
  measure::ByteCount receive_buffer;

  std::vector<DirectionResult> directions;  // one, or two for Flow::both (write first)
  std::optional<CpuUse> local_cpu;
  std::optional<CpuUse> remote_cpu;
  std::optional<RttSeries> rtt;
  std::string congestion;         // used at our end
  std::string remote_congestion;  // used at the peer's end, if it said
  std::string server_output;      // the server's own report, if it sent one; control characters removed

  StopReason stop_reason = StopReason::time_over;
  measure::Seconds omitted{0};
  measure::Seconds duration{0};  // of the counted part
  bool complete = false;         // the results of both ends are in
  measure::Notes notes;

  const DirectionResult* find(measure::Direction direction) const {
    for (const DirectionResult& result : directions) {
      if (result.direction == direction) return &result;
    }
    return nullptr;
  }
  bool operator==(const TcpResult&) const = default;
};

}  // namespace nasdiag::netbench
