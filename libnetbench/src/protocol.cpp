#include "protocol.hpp"

#include "json_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

namespace nasdiag::netbench {

namespace json = boost::json;

namespace {

constexpr std::size_t kLongestCongestion = 16;
constexpr std::size_t kLongestTitle = 256;
constexpr std::size_t kLongestOutput = 1U << 20U;

void put_u32(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<char>((number >> shift) & 0xFFU));
}

struct Bound {
  std::int64_t value;
  std::int64_t low;
  std::int64_t high;
  std::int32_t code;
  const char* what;
};

std::optional<Refusal> out_of_bounds(const Parameters& p) {
  constexpr std::int64_t kDay = 86'400;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
  const std::array bounds{
      Bound{p.streams, 1, kMostStreams, iperf_code::kStreams, "parallel"},
      Bound{p.block_size, 1, kLargestBlock, iperf_code::kBlockSize, "len"},
      Bound{p.time, 0, 365 * kDay, iperf_code::kDuration, "time"},
      Bound{p.omit, 0, 600, iperf_code::kDuration, "omit"},
      Bound{p.amount, 0, kMostBytes, iperf_code::kParameters, "num"},
      Bound{p.blocks, 0, kMostBytes / kLargestBlock, iperf_code::kParameters, "blockcount"},
      Bound{p.window, 0, std::int64_t{512} << 20, iperf_code::kWindow, "window"},
      Bound{p.rate, 0, kMostBytes, iperf_code::kParameters, "bandwidth"},
      Bound{p.kernel_rate, 0, kMostBytes, iperf_code::kParameters, "fqrate"},
      Bound{p.type_of_service, 0, 255, iperf_code::kParameters, "TOS"}};
  for (const Bound& bound : bounds) {
    if (bound.value < bound.low || bound.value > bound.high)
      return Refusal{bound.code, std::string(bound.what) + " is out of bounds"};
  }
  if (p.segment_size != 0 && (p.segment_size < 88 || p.segment_size > 32'767)) {
    return Refusal{iperf_code::kSegmentSize, "MSS is out of bounds"};
  }
  return std::nullopt;
}

// Out of range of int: something that every bound refuses.
int narrow(std::int64_t number) { return number < -1 || number > 1'000'000 ? -1 : static_cast<int>(number); }

json::object write_stream(const StreamReport& stream) {
  return {{"id", stream.id},
          {"bytes", stream.bytes},
          {"retransmits", stream.retransmits},
          {"jitter", 0},
          {"errors", 0},
          {"omitted_errors", 0},
          {"packets", 0},
          {"omitted_packets", 0},
          {"start_time", 0},
          {"end_time", stream.end_time}};
}

StreamReport read_stream(const json::object& object) {
  JsonReader reader(object);
  StreamReport stream;
  stream.id = narrow(reader.integer("id", 0));
  stream.bytes = std::max<std::int64_t>(0, reader.integer("bytes", 0));
  stream.retransmits = std::max<std::int64_t>(-1, reader.integer("retransmits", -1));
  stream.end_time = std::clamp(reader.number("end_time", 0), 0.0, 1e9);
  return stream;
}

std::vector<StreamReport> read_streams(const json::object& object) {
  const json::value* streams = object.if_contains("streams");
  const json::array* array = streams != nullptr ? streams->if_array() : nullptr;
  if (array == nullptr || array->size() > 2 * std::size_t{kMostStreams}) {
    throw std::system_error(Errc::protocol, "the results of the peer have no proper list of streams");
  }
  std::vector<StreamReport> reports;
  for (const json::value& value : *array) {
    const json::object* stream = value.if_object();
    if (stream == nullptr)
      throw std::system_error(Errc::protocol, "a stream in the results of the peer is no object");
    reports.push_back(read_stream(*stream));
  }
  return reports;
}

}  // namespace

std::string describe(State state) {
  switch (state) {
    case State::test_start:
      return "TEST_START";
    case State::test_running:
      return "TEST_RUNNING";
    case State::test_end:
      return "TEST_END";
    case State::param_exchange:
      return "PARAM_EXCHANGE";
    case State::create_streams:
      return "CREATE_STREAMS";
    case State::server_terminate:
      return "SERVER_TERMINATE";
    case State::client_terminate:
      return "CLIENT_TERMINATE";
    case State::exchange_results:
      return "EXCHANGE_RESULTS";
    case State::display_results:
      return "DISPLAY_RESULTS";
    case State::iperf_done:
      return "IPERF_DONE";
    case State::access_denied:
      return "ACCESS_DENIED";
    case State::server_error:
      return "SERVER_ERROR";
  }
  return "state " + std::to_string(static_cast<int>(state));
}

std::string make_cookie() {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::random_device random;
  std::string cookie;
  for (std::size_t i = 0; i + 1 < kCookieSize; ++i) cookie.push_back(kAlphabet[random() % kAlphabet.size()]);
  cookie.push_back('\0');
  return cookie;
}

std::string frame(std::string_view body) {
  std::string out;
  out.reserve(body.size() + 4);
  put_u32(out, static_cast<std::uint32_t>(body.size()));
  out.append(body);
  return out;
}

std::uint32_t frame_length(std::string_view four_bytes) {
  std::uint32_t length = 0;
  for (const char c : four_bytes.substr(0, 4)) length = (length << 8U) | static_cast<unsigned char>(c);
  return length;
}

std::string write_parameters(const Parameters& p) {
  json::object out{
      {"tcp", true}, {"omit", p.omit}, {"time", p.time}, {"num", p.amount}, {"blockcount", p.blocks}};
  if (p.segment_size != 0) out["MSS"] = p.segment_size;
  if (p.nodelay) out["nodelay"] = true;
  out["parallel"] = p.streams;
  if (p.flow == Flow::read) out["reverse"] = true;
  if (p.flow == Flow::both) out["bidirectional"] = true;
  if (p.window != 0) out["window"] = p.window;
  out["len"] = p.block_size;
  if (p.rate != 0) out["bandwidth"] = p.rate;
  if (p.kernel_rate != 0) out["fqrate"] = p.kernel_rate;
  out["pacing_timer"] = 1000;
  if (p.type_of_service != 0) out["TOS"] = p.type_of_service;
  if (!p.title.empty()) out["title"] = p.title;
  if (!p.congestion.empty()) out["congestion"] = p.congestion;
  if (p.wants_output) out["get_server_output"] = 1;
  if (p.zero_copy) out["zerocopy"] = 1;
  if (p.discard) out["skip_rx_copy"] = 1;
  if (!p.auth_token.empty()) out["authtoken"] = p.auth_token;
  out["client_version"] = p.client_version;
  return json::serialize(out);
}

ParsedParameters read_parameters(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return {{}, Refusal{iperf_code::kParameters, "the parameters are no JSON object"}};
  JsonReader reader(*object);
  ParsedParameters parsed;
  Parameters& p = parsed.parameters;
  p.omit = reader.integer("omit", 0);
  p.time = reader.integer("time", 10);
  p.amount = reader.integer("num", 0);
  p.blocks = reader.integer("blockcount", 0);
  p.streams = narrow(reader.integer("parallel", 1));
  if (reader.flag("reverse")) p.flow = Flow::read;
  if (reader.flag("bidirectional")) p.flow = Flow::both;
  p.block_size = reader.integer("len", p.block_size);
  p.window = reader.integer("window", 0);
  p.segment_size = narrow(reader.integer("MSS", 0));
  p.nodelay = reader.flag("nodelay");
  p.rate = reader.integer("bandwidth", 0);
  p.kernel_rate = reader.integer("fqrate", 0);
  p.type_of_service = narrow(reader.integer("TOS", 0));
  p.congestion = sanitise(reader.text("congestion"), kLongestCongestion);
  p.title = sanitise(reader.text("title"), kLongestTitle);
  p.auth_token = reader.text("authtoken");
  p.zero_copy = reader.flag("zerocopy");
  p.discard = reader.flag("skip_rx_copy");
  p.wants_output = reader.flag("get_server_output");
  p.client_version = sanitise(reader.text("client_version"), kLongestCongestion);
  if (reader.flag("udp") || reader.flag("sctp")) {
    parsed.refusal = Refusal{iperf_code::kNoProtocol, "only TCP is served"};
  } else if (reader.wrong_type()) {
    parsed.refusal = Refusal{iperf_code::kParameters, "a parameter has the wrong type"};
  } else {
    parsed.refusal = out_of_bounds(p);
  }
  return parsed;
}

std::string write_results(const Results& results) {
  json::array streams;
  for (const StreamReport& stream : results.streams) streams.push_back(write_stream(stream));
  json::object out{{"cpu_util_total", results.cpu_total},
                   {"cpu_util_user", results.cpu_user},
                   {"cpu_util_system", results.cpu_system},
                   {"sender_has_retransmits", results.sender_has_retransmits}};
  if (!results.congestion.empty()) out["congestion_used"] = results.congestion;
  if (!results.server_output.empty()) out["server_output_text"] = results.server_output;
  out["streams"] = std::move(streams);
  return json::serialize(out);
}

Results read_results(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) throw std::system_error(Errc::protocol, "the results of the peer are no JSON object");
  constexpr double kMostCpu = 1e6;  // percent
  JsonReader reader(*object);
  Results results;
  results.cpu_total = std::clamp(reader.number("cpu_util_total", 0), 0.0, kMostCpu);
  results.cpu_user = std::clamp(reader.number("cpu_util_user", 0), 0.0, kMostCpu);
  results.cpu_system = std::clamp(reader.number("cpu_util_system", 0), 0.0, kMostCpu);
  results.sender_has_retransmits = narrow(reader.integer("sender_has_retransmits", -1));
  results.congestion = sanitise(reader.text("congestion_used"), kLongestCongestion);
  results.server_output = sanitise(reader.text("server_output_text"), kLongestOutput);
  if (const json::value* output = object->if_contains("server_output_json")) {
    results.server_output = sanitise(json::serialize(*output), kLongestOutput);
  }
  results.streams = read_streams(*object);
  return results;
}

std::string write_server_error(std::int32_t code, std::int32_t system_error) {
  std::string out(1, static_cast<char>(State::server_error));
  put_u32(out, static_cast<std::uint32_t>(code));
  put_u32(out, static_cast<std::uint32_t>(system_error));
  return out;
}

std::string describe_iperf_code(std::int32_t code) {
  static constexpr std::array<std::pair<std::int32_t, const char*>, 27> kTexts{
      {{5, "duration too long"},
       {6, "too many streams"},
       {7, "block size too large"},
       {8, "socket buffer too large"},
       {10, "MSS too large"},
       {27, "the requested rate is above the server's limit"},
       {37, "the requested duration is above the server's limit"},
       {110, "unexpected state"},
       {114, "bad parameters"},
       {117, "bad results"},
       {119, "the client terminated"},
       {120, "the server terminated"},
       {121, "busy"},
       {123, "cannot set the MSS"},
       {124, "cannot set the socket buffer"},
       {125, "cannot set the type of service"},
       {126, "cannot set the traffic class"},
       {127, "cannot set the flow label"},
       {131, "no such protocol"},
       {134, "cannot set the congestion control"},
       {140, "cannot set the pacing rate"},
       {141, "the kernel granted a smaller socket buffer than asked for"},
       {142, "authentication failed"},
       {144, "no data came for the receive timeout"},
       {160, "the server's test duration expired"},
       {205, "writing to a stream failed"},
       {206, "reading from a stream failed"}}};
  for (const auto& [number, text] : kTexts) {
    if (number == code) return text;
  }
  return "iperf3 error " + std::to_string(code);
}

std::string sanitise(std::string_view text, std::size_t longest) {
  std::string out(text.substr(0, longest));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    const bool control = (byte < 0x20 && out[i] != '\n' && out[i] != '\t') || byte == 0x7F;
    // UTF-8 of U+0080 to U+009F, which terminals obey as well.
    const bool second_set =
        byte == 0xC2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xA0;
    if (control || second_set) out[i] = '?';
    if (second_set) out[++i] = '?';
  }
  return out;
}

}  // namespace nasdiag::netbench
