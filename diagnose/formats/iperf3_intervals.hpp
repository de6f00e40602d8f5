#pragma once

// The series of a TCP result in intervals as iperf3 prints them.

#include <netbench/result.hpp>

#include <optional>
#include <vector>

namespace nasdiag::formats {

struct Iperf3Interval {
  measure::Seconds start{0};
  measure::Seconds end{0};
  measure::ByteCount amount;
  // At a sender only; gauges as at the end of the interval.
  std::optional<std::uint64_t> retransmits;
  std::optional<measure::ByteCount> congestion_window;
  std::optional<measure::ByteCount> peer_window;
  std::optional<std::chrono::microseconds> rtt;
  std::optional<std::chrono::microseconds> rtt_variation;
  std::uint32_t path_mtu = 0;

  measure::DataRate rate() const { return amount / (end - start); }
};

std::vector<Iperf3Interval> intervals_of(const netbench::StreamResult& stream, netbench::SeriesSource source,
                                         measure::Seconds length);
// One for each interval of the streams, which all have the same.
std::vector<Iperf3Interval> sum_of(const std::vector<std::vector<Iperf3Interval>>& streams);

}  // namespace nasdiag::formats
