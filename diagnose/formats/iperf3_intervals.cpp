#include "diagnose/formats/iperf3_intervals.hpp"

#include <algorithm>

namespace nasdiag::formats {

using measure::ByteCount;
using measure::RateSample;
using measure::Seconds;
using netbench::StreamResult;
using netbench::TcpInfoSample;

namespace {

constexpr double kShortRest = 0.1;  // of an interval: joins the one before

std::vector<Iperf3Interval> amounts(const measure::SampleSeries& series, Seconds length) {
  std::vector<Iperf3Interval> intervals;
  for (const RateSample& sample : series) {
    const Seconds middle = sample.start + sample.length / 2;
    const Seconds boundary = length * static_cast<double>(intervals.size());
    if (intervals.empty() || middle >= boundary)
      intervals.push_back({.start = sample.start, .end = sample.start});
    intervals.back().end = sample.start + sample.length;
    intervals.back().amount += sample.amount;
  }
  if (intervals.size() > 1 && intervals.back().end - intervals.back().start < length * kShortRest) {
    const Iperf3Interval rest = intervals.back();
    intervals.pop_back();
    intervals.back().end = rest.end;
    intervals.back().amount += rest.amount;
  }
  return intervals;
}

// The last sample that is not after the time.
const TcpInfoSample* sample_at(const StreamResult& stream, Seconds time) {
  constexpr Seconds kSlack{0.02};
  const auto after = std::find_if(stream.tcp_info.begin(), stream.tcp_info.end(),
                                  [&](const TcpInfoSample& sample) { return sample.time > time + kSlack; });
  return after == stream.tcp_info.begin() ? nullptr : &*(after - 1);
}

void add_sender_view(Iperf3Interval& interval, const StreamResult& stream) {
  const TcpInfoSample* before = sample_at(stream, interval.start);
  const TcpInfoSample* now = sample_at(stream, interval.end);
  if (now == nullptr) return;
  interval.retransmits = now->retransmits - (before != nullptr ? before->retransmits : 0);
  interval.congestion_window = ByteCount::bytes(std::int64_t{now->congestion_window} * now->segment_size);
  interval.peer_window = now->peer_window;
  interval.rtt = now->rtt;
  interval.rtt_variation = now->rtt_variation;
  interval.path_mtu = now->path_mtu;
}

}  // namespace

std::vector<Iperf3Interval> intervals_of(const StreamResult& stream, netbench::SeriesSource source,
                                         Seconds length) {
  std::vector<Iperf3Interval> intervals = amounts(stream.series, length);
  if (source == netbench::SeriesSource::received) return intervals;
  for (Iperf3Interval& interval : intervals) add_sender_view(interval, stream);
  return intervals;
}

std::vector<Iperf3Interval> sum_of(const std::vector<std::vector<Iperf3Interval>>& streams) {
  std::vector<Iperf3Interval> sums;
  for (const auto& stream : streams) {
    for (std::size_t i = 0; i < stream.size(); ++i) {
      if (i == sums.size()) sums.push_back({.start = stream[i].start, .end = stream[i].end});
      sums[i].amount += stream[i].amount;
      if (stream[i].retransmits)
        sums[i].retransmits = sums[i].retransmits.value_or(0) + *stream[i].retransmits;
    }
  }
  return sums;
}

}  // namespace nasdiag::formats
