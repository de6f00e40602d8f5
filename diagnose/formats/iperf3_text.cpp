#include "diagnose/formats/iperf3_text.hpp"

#include "diagnose/formats/iperf3_intervals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace nasdiag::formats {

using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;
using netbench::DirectionResult;
using netbench::SeriesSource;
using netbench::StreamResult;
using netbench::TcpResult;

namespace {

constexpr std::string_view kLine = "- - - - - - - - - - - - - - - - - - - - - - - - -\n";

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

// Three significant digits with the first unit that keeps the number below the step.
std::string scaled(double number, double step, const std::array<const char*, 5>& units, const char* suffix) {
  std::size_t unit = 0;
  while (number >= 999.5 && unit + 1 < units.size()) {
    number /= step;
    ++unit;
  }
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return format("%.*f %s%s", decimals, number, units[unit], suffix);
}

struct Flow {
  const DirectionResult* direction;
  std::string role;  // "[TX-C]" and "[RX-C]" where both directions run at once
  bool sending;
  std::vector<std::vector<Iperf3Interval>> streams;
};

std::vector<Flow> flows_of(const TcpResult& result, Seconds interval) {
  std::vector<Flow> flows;
  for (const DirectionResult& direction : result.directions) {
    Flow flow;
    flow.direction = &direction;
    flow.sending = direction.source != SeriesSource::received;
    if (result.directions.size() > 1) flow.role = flow.sending ? "[TX-C]" : "[RX-C]";
    for (const StreamResult& stream : direction.streams) {
      flow.streams.push_back(intervals_of(stream, direction.source, interval));
    }
    flows.push_back(std::move(flow));
  }
  return flows;
}

std::string head(const std::string& id, const std::string& role) { return "[" + id + "]" + role; }

std::string stream_id_text(int id) { return format("%3d", id); }

std::string row(const std::string& id, Seconds start, Seconds end, ByteCount amount, DataRate rate) {
  return id + format(" %6.2f-%-6.2f sec  %11s  %14s", start.count(), end.count(),
                     iperf3_amount(amount).c_str(), iperf3_rate(rate).c_str());
}

std::string interval_row(const std::string& id, const Iperf3Interval& interval) {
  std::string line = row(id, interval.start, interval.end, interval.amount, interval.rate());
  if (interval.retransmits) line += format("  %4llu", static_cast<unsigned long long>(*interval.retransmits));
  if (interval.congestion_window)
    line += format("  %11s", iperf3_amount(*interval.congestion_window).c_str());
  return line + "\n";
}

std::string interval_rows(const Flow& flow, std::size_t number) {
  std::string text;
  for (std::size_t i = 0; i < flow.streams.size(); ++i) {
    if (number >= flow.streams[i].size()) continue;
    text +=
        interval_row(head(stream_id_text(flow.direction->streams[i].id), flow.role), flow.streams[i][number]);
  }
  if (flow.streams.size() < 2) return text;
  const std::vector<Iperf3Interval> sums = sum_of(flow.streams);
  return number < sums.size() ? text + interval_row(head("SUM", flow.role), sums[number]) : text;
}

std::size_t interval_count(const std::vector<Flow>& flows) {
  std::size_t count = 0;
  for (const Flow& flow : flows) {
    for (const auto& stream : flow.streams) count = std::max(count, stream.size());
  }
  return count;
}

std::string end_row(const std::string& id, ByteCount amount, Seconds time,
                    std::optional<std::int64_t> retransmits, const char* side) {
  const std::string again = retransmits ? format("  %4lld", static_cast<long long>(*retransmits)) : "      ";
  return row(id, Seconds(0), time, amount, amount / time) + again + "             " + side + "\n";
}

std::string end_rows(const Flow& flow) {
  std::string text;
  const DirectionResult& direction = *flow.direction;
  for (const StreamResult& stream : direction.streams) {
    const std::string id = head(stream_id_text(stream.id), flow.role);
    if (stream.sent) text += end_row(id, *stream.sent, direction.sender_time, stream.retransmits, "sender");
    if (stream.received) text += end_row(id, *stream.received, direction.receiver_time, {}, "receiver");
  }
  if (direction.streams.size() < 2) return text;
  const std::string id = head("SUM", flow.role);
  text += end_row(id, direction.sent, direction.sender_time, direction.retransmits, "sender");
  if (direction.receiver_time.count() > 0)
    text += end_row(id, direction.received, direction.receiver_time, {}, "receiver");
  return text;
}

std::string connection_line(const TcpResult& result) {
  return "Connected to " + result.remote_address + " port " + std::to_string(result.remote_port) + " from " +
         result.local_address + "\n";
}

}  // namespace

std::string iperf3_amount(ByteCount amount) {
  return scaled(static_cast<double>(amount.bytes()), 1024, {"", "K", "M", "G", "T"}, "Bytes");
}

std::string iperf3_rate(DataRate rate) {
  return scaled(rate.bits_per_second(), 1000, {"", "K", "M", "G", "T"}, "bits/sec");
}

std::string iperf3_text(const TcpResult& result, Seconds interval) {
  const std::vector<Flow> flows = flows_of(result, interval);
  const bool both = flows.size() > 1;
  const bool sending = !flows.empty() && flows.front().sending;
  std::string text = connection_line(result);
  const std::string columns =
      std::string("[ ID]") + (both ? "[Role]" : "") + " Interval           Transfer     Bitrate";
  text += columns + (sending ? "          Retr  Cwnd\n" : "\n");
  const std::size_t count = interval_count(flows);
  const bool several = both || (!flows.empty() && flows.front().streams.size() > 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Flow& flow : flows) text += interval_rows(flow, i);
    if (several || i + 1 == count) text += kLine;
  }
  text += columns + "          Retr\n";
  for (const Flow& flow : flows) text += end_rows(flow);
  return text;
}

}  // namespace nasdiag::formats
