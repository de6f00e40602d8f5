#include "diagnose/formats/iperf3_json.hpp"

#include "diagnose/formats/iperf3_intervals.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <ctime>

namespace nasdiag::formats {

namespace json = boost::json;
using measure::ByteCount;
using measure::Seconds;
using netbench::DirectionResult;
using netbench::SeriesSource;
using netbench::StreamResult;
using netbench::TcpInfoSample;
using netbench::TcpResult;

namespace {

bool we_send(const DirectionResult& direction) { return direction.source != SeriesSource::received; }

json::object period(Seconds start, Seconds end, ByteCount amount) {
  return {{"start", start.count()},
          {"end", end.count()},
          {"seconds", (end - start).count()},
          {"bytes", amount.bytes()},
          {"bits_per_second", (amount / (end - start)).bits_per_second()}};
}

json::object timestamp(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {{"time", text.data()}, {"timesecs", static_cast<std::int64_t>(seconds)}};
}

json::array connected(const TcpResult& result) {
  json::array all;
  for (const DirectionResult& direction : result.directions) {
    for (const StreamResult& stream : direction.streams) {
      all.push_back(json::object{{"socket", stream.id},
                                 {"local_host", result.local_address},
                                 {"local_port", result.local_port},
                                 {"remote_host", result.remote_address},
                                 {"remote_port", result.remote_port}});
    }
  }
  return all;
}

json::object test_start(const TcpResult& result) {
  const netbench::TcpOptions& options = result.options;
  return {{"protocol", "TCP"},
          {"num_streams", options.streams},
          {"blksize", result.block_size.bytes()},
          {"omit", std::chrono::duration_cast<std::chrono::seconds>(options.omit).count()},
          {"duration", Seconds(options.time).count()},
          {"bytes", options.amount.value_or(ByteCount()).bytes()},
          {"blocks", options.blocks.value_or(0)},
          {"reverse", options.flow == netbench::Flow::read ? 1 : 0},
          {"tos", options.type_of_service.value_or(0)},
          {"target_bitrate", options.rate.value_or(measure::DataRate()).bits_per_second()},
          {"bidir", options.flow == netbench::Flow::both ? 1 : 0}};
}

json::object start_of(const TcpResult& result, const Iperf3Context& context) {
  return {{"connected", connected(result)},
          {"version", context.version},
          {"system_info", context.system_info},
          {"timestamp", timestamp(context.started_at)},
          {"connecting_to", {{"host", result.options.host}, {"port", result.options.port}}},
          {"tcp_mss_default", result.segment_size},
          {"target_bitrate", result.options.rate.value_or(measure::DataRate()).bits_per_second()},
          {"sock_bufsize", result.options.window.value_or(ByteCount()).bytes()},
          {"sndbuf_actual", result.send_buffer.bytes()},
          {"rcvbuf_actual", result.receive_buffer.bytes()},
          {"test_start", test_start(result)}};
}

json::object interval_object(const Iperf3Interval& interval, bool sender) {
  json::object object = period(interval.start, interval.end, interval.amount);
  if (interval.retransmits) object["retransmits"] = *interval.retransmits;
  if (interval.congestion_window) object["snd_cwnd"] = interval.congestion_window->bytes();
  if (interval.peer_window) object["snd_wnd"] = interval.peer_window->bytes();
  if (interval.rtt) object["rtt"] = interval.rtt->count();
  if (interval.rtt_variation) object["rttvar"] = interval.rtt_variation->count();
  if (interval.path_mtu > 0) object["pmtu"] = interval.path_mtu;
  object["omitted"] = false;
  object["sender"] = sender;
  return object;
}

// The key of a sum: the second direction of a test of both has names of its own.
std::string sum_key(const char* name, std::size_t direction) {
  return direction == 0 ? name : std::string(name) + "_bidir_reverse";
}

void add_stream_interval(json::array& streams, const StreamResult& stream, const Iperf3Interval& interval,
                         bool sender) {
  json::object object{{"socket", stream.id}};
  for (auto& member : interval_object(interval, sender)) object.emplace(member.key(), member.value());
  streams.push_back(std::move(object));
}

json::array intervals(const TcpResult& result, Seconds length) {
  std::vector<std::vector<std::vector<Iperf3Interval>>> directions;
  std::size_t count = 0;
  for (const DirectionResult& direction : result.directions) {
    auto& streams = directions.emplace_back();
    for (const StreamResult& stream : direction.streams) {
      streams.push_back(intervals_of(stream, direction.source, length));
      count = std::max(count, streams.back().size());
    }
  }
  json::array all;
  for (std::size_t i = 0; i < count; ++i) {
    json::array streams;
    json::object interval;
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const DirectionResult& direction = result.directions[d];
      for (std::size_t s = 0; s < directions[d].size(); ++s) {
        if (i < directions[d][s].size())
          add_stream_interval(streams, direction.streams[s], directions[d][s][i], we_send(direction));
      }
      const std::vector<Iperf3Interval> sums = sum_of(directions[d]);
      if (i < sums.size()) interval[sum_key("sum", d)] = interval_object(sums[i], we_send(direction));
    }
    json::object entry{{"streams", std::move(streams)}};
    for (auto& member : interval) entry.emplace(member.key(), member.value());
    all.push_back(std::move(entry));
  }
  return all;
}

void add_extremes(json::object& sender, const StreamResult& stream) {
  if (stream.tcp_info.empty()) return;
  std::int64_t most_cwnd = 0;
  std::int64_t most_window = 0;
  std::int64_t least_rtt = INT64_MAX;
  std::int64_t most_rtt = 0;
  std::int64_t sum_rtt = 0;
  for (const TcpInfoSample& sample : stream.tcp_info) {
    most_cwnd = std::max(most_cwnd, std::int64_t{sample.congestion_window} * sample.segment_size);
    most_window = std::max(most_window, sample.peer_window.value_or(ByteCount()).bytes());
    least_rtt = std::min<std::int64_t>(least_rtt, sample.rtt.count());
    most_rtt = std::max<std::int64_t>(most_rtt, sample.rtt.count());
    sum_rtt += sample.rtt.count();
  }
  sender["max_snd_cwnd"] = most_cwnd;
  sender["max_snd_wnd"] = most_window;
  sender["max_rtt"] = most_rtt;
  sender["min_rtt"] = least_rtt;
  sender["mean_rtt"] = sum_rtt / static_cast<std::int64_t>(stream.tcp_info.size());
}

json::object end_of_stream(const StreamResult& stream, const DirectionResult& direction) {
  const bool sending = we_send(direction);
  json::object sender{{"socket", stream.id}};
  for (auto& member : period(Seconds(0), direction.sender_time, stream.sent.value_or(ByteCount()))) {
    sender.emplace(member.key(), member.value());
  }
  if (stream.retransmits) sender["retransmits"] = *stream.retransmits;
  if (sending) add_extremes(sender, stream);
  sender["sender"] = sending;
  json::object receiver{{"socket", stream.id}};
  for (auto& member : period(Seconds(0), direction.receiver_time, stream.received.value_or(ByteCount()))) {
    receiver.emplace(member.key(), member.value());
  }
  receiver["sender"] = sending;
  return {{"sender", std::move(sender)}, {"receiver", std::move(receiver)}};
}

void add_sums(json::object& end, const DirectionResult& direction, std::size_t number) {
  json::object sent = period(Seconds(0), direction.sender_time, direction.sent);
  if (direction.retransmits) sent["retransmits"] = *direction.retransmits;
  sent["sender"] = we_send(direction);
  json::object received = period(Seconds(0), direction.receiver_time, direction.received);
  received["sender"] = we_send(direction);
  end[sum_key("sum_sent", number)] = std::move(sent);
  end[sum_key("sum_received", number)] = std::move(received);
}

json::object cpu_object(const TcpResult& result) {
  const netbench::CpuUse host = result.local_cpu.value_or(netbench::CpuUse());
  const netbench::CpuUse remote = result.remote_cpu.value_or(netbench::CpuUse());
  return {{"host_total", host.total},     {"host_user", host.user},     {"host_system", host.system},
          {"remote_total", remote.total}, {"remote_user", remote.user}, {"remote_system", remote.system}};
}

json::object end_of(const TcpResult& result) {
  json::array streams;
  for (const DirectionResult& direction : result.directions) {
    for (const StreamResult& stream : direction.streams) streams.push_back(end_of_stream(stream, direction));
  }
  json::object end{{"streams", std::move(streams)}};
  for (std::size_t i = 0; i < result.directions.size(); ++i) add_sums(end, result.directions[i], i);
  end["cpu_utilization_percent"] = cpu_object(result);
  const bool sending = !result.directions.empty() && we_send(result.directions.front());
  end["sender_tcp_congestion"] = sending ? result.congestion : result.remote_congestion;
  end["receiver_tcp_congestion"] = sending ? result.remote_congestion : result.congestion;
  return end;
}

}  // namespace

json::object iperf3_json(const TcpResult& result, const Iperf3Context& context) {
  return {{"start", start_of(result, context)},
          {"intervals", intervals(result, context.interval)},
          {"end", end_of(result)}};
}

json::object iperf3_error_json(const std::string& error, const Iperf3Context& context) {
  return {{"start",
           {{"connected", json::array()},
            {"version", context.version},
            {"system_info", context.system_info},
            {"timestamp", timestamp(context.started_at)}}},
          {"intervals", json::array()},
          {"end", json::object()},
          {"error", error}};
}

}  // namespace nasdiag::formats
