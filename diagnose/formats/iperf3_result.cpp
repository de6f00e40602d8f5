#include "diagnose/formats/iperf3_result.hpp"

#include <diagnose/report/measure_json.hpp>
#include <measure/change_point.hpp>
#include <measure/steady_state.hpp>
#include <measure/trend.hpp>

#include <boost/json.hpp>

#include <stdexcept>

namespace nasdiag::formats {

namespace {

namespace json = boost::json;
using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;
using netbench::DirectionResult;
using netbench::TcpResult;
using report::array_at;
using report::integer_at;
using report::number_at;
using report::object_at;
using report::text_at;

// Keys of one direction: with --bidir the second one has keys of its own.
struct WayKeys {
  const char* sent;
  const char* received;
  const char* interval;
};
constexpr WayKeys kFirst{"sum_sent", "sum_received", "sum"};
constexpr WayKeys kReverse{"sum_sent_bidir_reverse", "sum_received_bidir_reverse", "sum_bidir_reverse"};

Seconds seconds_of(const json::object& sum) { return Seconds(number_at(sum, "seconds").value_or(0)); }

ByteCount bytes_of(const json::object& sum) { return ByteCount::bytes(integer_at(sum, "bytes").value_or(0)); }

measure::SampleSeries series_of(const json::object& document, const char* key) {
  measure::SampleSeries series;
  for (const json::value& interval : array_at(document, "intervals")) {
    if (!interval.is_object()) continue;
    const json::object& sum = object_at(interval.get_object(), key);
    if (sum.empty() || report::bool_at(sum, "omitted").value_or(false)) continue;
    series.push_back({.start = Seconds(number_at(sum, "start").value_or(0)),
                      .length = seconds_of(sum),
                      .amount = bytes_of(sum)});
  }
  return series;
}

DirectionResult way_of(const json::object& document, const WayKeys& keys, Direction direction) {
  const json::object& end = object_at(document, "end");
  const json::object& sent = object_at(end, keys.sent);
  const json::object& received = object_at(end, keys.received);
  DirectionResult way;
  way.direction = direction;
  way.sent = bytes_of(sent);
  way.received = bytes_of(received);
  way.sender_time = seconds_of(sent);
  way.receiver_time = seconds_of(received);
  // Servers of old releases don't tell what they got.
  const json::object& counted = bytes_of(received) > ByteCount() ? received : sent;
  way.throughput = DataRate::bits_per_second(number_at(counted, "bits_per_second").value_or(0));
  way.retransmits = integer_at(sent, "retransmits");
  way.series = series_of(document, keys.interval);
  way.precision = measure::precision(way.series, measure::warm_up_end(way.series));
  way.change_points = measure::change_points(way.series);
  way.trend = measure::trend(way.series);
  way.congestion = text_at(end, "sender_tcp_congestion").value_or("");
  return way;
}

std::optional<netbench::CpuUse> cpu_of(const json::object& document, const std::string& side) {
  const json::object& cpu = object_at(object_at(document, "end"), "cpu_utilization_percent");
  const auto total = number_at(cpu, side + "_total");
  if (!total) return std::nullopt;
  return netbench::CpuUse{.total = *total,
                          .user = number_at(cpu, side + "_user").value_or(0),
                          .system = number_at(cpu, side + "_system").value_or(0)};
}

void read_setup(const json::object& start, TcpResult& result) {
  const json::object& test = object_at(start, "test_start");
  result.options.streams = static_cast<int>(integer_at(test, "num_streams").value_or(1));
  result.block_size = ByteCount::bytes(integer_at(test, "blksize").value_or(0));
  result.omitted = Seconds(number_at(test, "omit").value_or(0));
  result.segment_size = static_cast<std::uint32_t>(integer_at(start, "tcp_mss_default").value_or(0));
  result.send_buffer = ByteCount::bytes(integer_at(start, "sock_bufsize").value_or(0));
  for (const json::value& connection : array_at(start, "connected")) {
    if (!connection.is_object()) continue;
    result.local_address = text_at(connection.get_object(), "local_host").value_or("");
    result.remote_address = text_at(connection.get_object(), "remote_host").value_or("");
  }
}

void add_ways(const json::object& document, TcpResult& result) {
  const json::object& start = object_at(document, "start");
  const json::object& test = object_at(start, "test_start");
  if (text_at(test, "protocol").value_or("TCP") != "TCP") {
    result.notes.push_back({"udp-target-rate", measure::Severity::void_,
                            "It is a UDP test, which sends at the rate it is told to: no capacity."});
    return;
  }
  // The server's own file tells the same test; whom it sends to is the client.
  const bool reverse = integer_at(test, "reverse").value_or(0) != 0;
  result.directions.push_back(way_of(document, kFirst, reverse ? Direction::read : Direction::write));
  if (object_at(document, "end").contains(kReverse.received))
    result.directions.push_back(way_of(document, kReverse, Direction::read));
}

}  // namespace

bool is_iperf3_json(const json::value& value) {
  if (!value.is_object()) return false;
  const json::object& object = value.get_object();
  return object.contains("start") && (object.contains("end") || object.contains("error"));
}

TcpResult tcp_result_from_iperf3_json(const json::value& value, const std::string& source) {
  const json::object& document = value.as_object();
  const auto error = text_at(document, "error");
  if (error && object_at(document, "end").empty())
    throw std::runtime_error(source + " holds no result: iperf3 ended with \"" + *error + "\"");
  TcpResult result;
  read_setup(object_at(document, "start"), result);
  add_ways(document, result);
  result.local_cpu = cpu_of(document, "host");
  result.remote_cpu = cpu_of(document, "remote");
  if (!result.directions.empty()) {
    const DirectionResult& first = result.directions.front();
    result.duration = std::max(first.sender_time, first.receiver_time);
    if (first.throughput <= DataRate())
      throw std::runtime_error(source + " holds no result: nothing was transferred in that iperf3 test");
  }
  result.complete = !error;
  if (error)
    result.notes.push_back({"iperf3-error", measure::Severity::warning, "iperf3 ended with: " + *error});
  return result;
}

}  // namespace nasdiag::formats
