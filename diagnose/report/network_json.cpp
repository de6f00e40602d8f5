#include "diagnose/report/network_json.hpp"

#include "diagnose/report/measure_json.hpp"

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;
using netbench::DirectionResult;
using netbench::StreamResult;
using netbench::TcpInfoSample;
using netbench::TcpResult;
using report::to_json;  // those below would hide the shared ones

constexpr std::array kSources{netbench::SeriesSource::received, netbench::SeriesSource::acknowledged,
                              netbench::SeriesSource::sent};
constexpr std::array kStops{netbench::StopReason::time_over, netbench::StopReason::amount_reached,
                            netbench::StopReason::precise, netbench::StopReason::stopped,
                            netbench::StopReason::peer_ended};
constexpr std::array kLimits{netbench::Limit::unknown,     netbench::Limit::path_rate,
                             netbench::Limit::congestion,  netbench::Limit::receive_window,
                             netbench::Limit::send_buffer, netbench::Limit::sender,
                             netbench::Limit::receiver,    netbench::Limit::pacing};

json::object to_json(const TcpInfoSample& sample) {
  json::object object{
      {"rtt_us", sample.rtt.count()},         {"rtt_variation_us", sample.rtt_variation.count()},
      {"min_rtt_us", sample.min_rtt.count()}, {"segment_size", sample.segment_size},
      {"path_mtu", sample.path_mtu},          {"congestion_window", sample.congestion_window},
      {"retransmits", sample.retransmits}};
  put(object, "time", sample.time);
  put(object, "acknowledged", sample.acknowledged);
  put(object, "received", sample.received);
  put(object, "not_sent", sample.not_sent);
  put(object, "delivery_rate", sample.delivery_rate);
  put(object, "peer_window", sample.peer_window);
  put(object, "own_window", sample.own_window);
  if (sample.receiver_rtt) object["receiver_rtt_us"] = sample.receiver_rtt->count();
  if (sample.busy) object["busy_us"] = sample.busy->count();
  if (sample.receive_window_limited)
    object["receive_window_limited_us"] = sample.receive_window_limited->count();
  if (sample.send_buffer_limited) object["send_buffer_limited_us"] = sample.send_buffer_limited->count();
  return object;
}

std::optional<std::chrono::microseconds> microseconds_at(const json::object& object, std::string_view key) {
  const auto number = integer_at(object, key);
  if (!number) return std::nullopt;
  return std::chrono::microseconds(*number);
}

std::uint32_t unsigned_at(const json::object& object, std::string_view key) {
  return static_cast<std::uint32_t>(integer_at(object, key).value_or(0));
}

TcpInfoSample tcp_info_from_json(const json::object& object) {
  using std::chrono::microseconds;
  TcpInfoSample sample;
  sample.time = seconds_at(object, "time").value_or(Seconds(0));
  sample.rtt = microseconds_at(object, "rtt_us").value_or(microseconds(0));
  sample.rtt_variation = microseconds_at(object, "rtt_variation_us").value_or(microseconds(0));
  sample.min_rtt = microseconds_at(object, "min_rtt_us").value_or(microseconds(0));
  sample.segment_size = unsigned_at(object, "segment_size");
  sample.path_mtu = unsigned_at(object, "path_mtu");
  sample.congestion_window = unsigned_at(object, "congestion_window");
  sample.retransmits = static_cast<std::uint64_t>(integer_at(object, "retransmits").value_or(0));
  sample.acknowledged = bytes_at(object, "acknowledged");
  sample.received = bytes_at(object, "received");
  sample.not_sent = bytes_at(object, "not_sent");
  sample.delivery_rate = rate_at(object, "delivery_rate");
  sample.peer_window = bytes_at(object, "peer_window");
  sample.own_window = bytes_at(object, "own_window");
  sample.receiver_rtt = microseconds_at(object, "receiver_rtt_us");
  sample.busy = microseconds_at(object, "busy_us");
  sample.receive_window_limited = microseconds_at(object, "receive_window_limited_us");
  sample.send_buffer_limited = microseconds_at(object, "send_buffer_limited_us");
  return sample;
}

json::object to_json(const StreamResult& stream) {
  json::object object{{"id", stream.id}};
  put(object, "sent", stream.sent);
  put(object, "received", stream.received);
  if (stream.retransmits) object["retransmits"] = *stream.retransmits;
  object["samples"] = to_json(stream.series);
  json::array infos;
  for (const TcpInfoSample& sample : stream.tcp_info) infos.push_back(to_json(sample));
  object["tcp_info"] = std::move(infos);
  return object;
}

StreamResult stream_from_json(const json::object& object) {
  StreamResult stream{.id = static_cast<int>(integer_at(object, "id").value_or(0)),
                      .sent = bytes_at(object, "sent"),
                      .received = bytes_at(object, "received"),
                      .retransmits = integer_at(object, "retransmits"),
                      .series = series_from_json(array_at(object, "samples"))};
  for (const json::value& info : array_at(object, "tcp_info"))
    if (info.is_object()) stream.tcp_info.push_back(tcp_info_from_json(info.get_object()));
  return stream;
}

json::object to_json(const netbench::LimitFinding& finding) {
  json::array evidence;
  for (const std::string& sentence : finding.evidence) evidence.push_back(json::value(sentence));
  return {{"limit", to_string(finding.limit)}, {"evidence", std::move(evidence)}};
}

json::object to_json(const DirectionResult& flow) {
  json::object object{{"direction", to_string(flow.direction)},
                      {"source", to_string(flow.source)},
                      {"congestion", flow.congestion},
                      {"sending_method", flow.sending_method}};
  put(object, "throughput", flow.throughput);
  if (flow.precision) object["precision"] = to_json(*flow.precision);
  if (flow.trend) object["trend"] = to_json(*flow.trend);
  object["change_points"] = to_json(flow.change_points);
  put(object, "sent", flow.sent);
  put(object, "received", flow.received);
  put(object, "sender_time", flow.sender_time);
  put(object, "receiver_time", flow.receiver_time);
  if (flow.retransmits) object["retransmits"] = *flow.retransmits;
  object["limit"] = to_json(flow.limit);
  object["samples"] = to_json(flow.series);
  json::array streams;
  for (const StreamResult& stream : flow.streams) streams.push_back(to_json(stream));
  object["streams"] = std::move(streams);
  return object;
}

DirectionResult flow_from_json(const json::object& object) {
  DirectionResult flow;
  flow.direction =
      direction_from_text(text_at(object, "direction").value_or("")).value_or(measure::Direction::write);
  flow.source = enum_from(text_at(object, "source").value_or(""), kSources);
  flow.congestion = text_at(object, "congestion").value_or("");
  flow.sending_method = text_at(object, "sending_method").value_or("");
  flow.throughput = rate_at(object, "throughput").value_or(DataRate());
  if (has_object(object, "precision")) flow.precision = precision_from_json(object_at(object, "precision"));
  if (has_object(object, "trend")) flow.trend = trend_from_json(object_at(object, "trend"));
  flow.change_points = change_points_from_json(array_at(object, "change_points"));
  flow.sent = bytes_at(object, "sent").value_or(ByteCount());
  flow.received = bytes_at(object, "received").value_or(ByteCount());
  flow.sender_time = seconds_at(object, "sender_time").value_or(Seconds(0));
  flow.receiver_time = seconds_at(object, "receiver_time").value_or(Seconds(0));
  flow.retransmits = integer_at(object, "retransmits");
  flow.limit.limit = enum_from(text_at(object_at(object, "limit"), "limit").value_or(""), kLimits);
  flow.limit.evidence = texts_at(object_at(object, "limit"), "evidence");
  flow.series = series_from_json(array_at(object, "samples"));
  for (const json::value& stream : array_at(object, "streams"))
    if (stream.is_object()) flow.streams.push_back(stream_from_json(stream.get_object()));
  return flow;
}

json::object to_json(const netbench::CpuUse& cpu) {
  return {{"total_percent", cpu.total}, {"user_percent", cpu.user}, {"system_percent", cpu.system}};
}

std::optional<netbench::CpuUse> cpu_at(const json::object& object, std::string_view key) {
  if (!has_object(object, key)) return std::nullopt;
  const json::object& cpu = object_at(object, key);
  return netbench::CpuUse{.total = number_at(cpu, "total_percent").value_or(0),
                          .user = number_at(cpu, "user_percent").value_or(0),
                          .system = number_at(cpu, "system_percent").value_or(0)};
}

}  // namespace

json::object to_json(const TcpResult& result) {
  json::object object{{"host", result.options.host},
                      {"port", result.options.port},
                      {"streams", result.options.streams},
                      {"local_address", result.local_address},
                      {"remote_address", result.remote_address},
                      {"connect_time_us", result.connect_time.count()},
                      {"segment_size", result.segment_size},
                      {"congestion", result.congestion},
                      {"remote_congestion", result.remote_congestion},
                      {"stop_reason", to_string(result.stop_reason)},
                      {"complete", result.complete}};
  put(object, "block_size", result.block_size);
  put(object, "send_buffer", result.send_buffer);
  put(object, "receive_buffer", result.receive_buffer);
  put(object, "omitted", result.omitted);
  put(object, "duration", result.duration);
  if (result.local_cpu) object["local_cpu"] = to_json(*result.local_cpu);
  if (result.remote_cpu) object["remote_cpu"] = to_json(*result.remote_cpu);
  json::array addresses;
  for (const std::string& address : result.addresses) addresses.push_back(json::value(address));
  object["addresses"] = std::move(addresses);
  json::array directions;
  for (const DirectionResult& flow : result.directions) directions.push_back(to_json(flow));
  object["directions"] = std::move(directions);
  object["notes"] = to_json(result.notes);
  return object;
}

TcpResult tcp_result_from_json(const json::object& object) {
  TcpResult result;
  result.options.host = text_at(object, "host").value_or("");
  result.options.port = static_cast<std::uint16_t>(integer_at(object, "port").value_or(0));
  result.options.streams = static_cast<int>(integer_at(object, "streams").value_or(1));
  result.addresses = texts_at(object, "addresses");
  result.local_address = text_at(object, "local_address").value_or("");
  result.remote_address = text_at(object, "remote_address").value_or("");
  result.connect_time = microseconds_at(object, "connect_time_us").value_or(std::chrono::microseconds(0));
  result.segment_size = unsigned_at(object, "segment_size");
  result.block_size = bytes_at(object, "block_size").value_or(ByteCount());
  result.send_buffer = bytes_at(object, "send_buffer").value_or(ByteCount());
  result.receive_buffer = bytes_at(object, "receive_buffer").value_or(ByteCount());
  for (const json::value& flow : array_at(object, "directions"))
    if (flow.is_object()) result.directions.push_back(flow_from_json(flow.get_object()));
  result.local_cpu = cpu_at(object, "local_cpu");
  result.remote_cpu = cpu_at(object, "remote_cpu");
  result.congestion = text_at(object, "congestion").value_or("");
  result.remote_congestion = text_at(object, "remote_congestion").value_or("");
  result.stop_reason = enum_from(text_at(object, "stop_reason").value_or(""), kStops);
  result.omitted = seconds_at(object, "omitted").value_or(Seconds(0));
  result.duration = seconds_at(object, "duration").value_or(Seconds(0));
  result.complete = bool_at(object, "complete").value_or(false);
  result.notes = notes_from_json(array_at(object, "notes"));
  return result;
}

}  // namespace nasdiag::report
