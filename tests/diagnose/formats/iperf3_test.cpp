#include <diagnose/formats/iperf3_json.hpp>
#include <diagnose/formats/iperf3_text.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace nasdiag;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

namespace {

// Two seconds of one stream at 100 MB/s, in samples of 100 ms.
netbench::StreamResult stream_of(int id, bool sending) {
  netbench::StreamResult stream;
  stream.id = id;
  for (int i = 0; i < 20; ++i) {
    stream.series.push_back(
        {.start = Seconds(0.1 * i), .length = Seconds(0.1), .amount = ByteCount::bytes(10'000'000)});
  }
  stream.sent = ByteCount::bytes(201'000'000);
  stream.received = ByteCount::bytes(200'000'000);
  stream.retransmits = 7;
  if (!sending) return stream;
  for (int i = 0; i <= 20; ++i) {
    netbench::TcpInfoSample sample;
    sample.time = Seconds(0.1 * i);
    sample.rtt = std::chrono::microseconds(300 + i);
    sample.segment_size = 1000;
    sample.congestion_window = 10;
    sample.retransmits = i >= 15 ? 7 : 0;
    stream.tcp_info.push_back(sample);
  }
  return stream;
}

netbench::TcpResult result_of(const std::vector<measure::Direction>& ways) {
  netbench::TcpResult result;
  result.options.host = "nas";
  result.options.streams = 1;
  result.options.flow = ways.size() == 2 ? netbench::Flow::both : netbench::Flow::write;
  for (const measure::Direction way : ways) {
    const bool sending = way == measure::Direction::write;
    netbench::DirectionResult direction;
    direction.direction = way;
    direction.source = sending ? netbench::SeriesSource::acknowledged : netbench::SeriesSource::received;
    direction.streams = {stream_of(result.directions.empty() ? 1 : 3, sending)};
    direction.series = direction.streams[0].series;
    direction.sent = ByteCount::bytes(201'000'000);
    direction.received = ByteCount::bytes(200'000'000);
    direction.sender_time = direction.receiver_time = Seconds(2);
    direction.retransmits = 7;
    result.directions.push_back(std::move(direction));
  }
  return result;
}

const boost::json::value& at(const boost::json::object& object, const char* pointer) {
  static boost::json::value root;
  root = object;
  return root.at_pointer(pointer);
}

}  // namespace

TEST_CASE("JSON has the keys that scripts for iperf3 read") {
  const auto object = formats::iperf3_json(result_of({measure::Direction::write}),
                                           {.version = "nasdiag", .system_info = "", .started_at = {}});
  CHECK(at(object, "/start/connecting_to/host").as_string() == "nas");
  CHECK(at(object, "/start/test_start/num_streams").to_number<int>() == 1);
  CHECK(at(object, "/start/timestamp/timesecs").to_number<int>() == 0);
  REQUIRE(object.at("intervals").as_array().size() == 2);
  CHECK(at(object, "/intervals/0/sum/bits_per_second").to_number<double>() == Approx(8e8));
  CHECK(at(object, "/intervals/0/streams/0/retransmits").to_number<int>() == 0);
  CHECK(at(object, "/intervals/1/streams/0/retransmits").to_number<int>() == 7);
  CHECK(at(object, "/intervals/1/streams/0/snd_cwnd").to_number<int>() == 10'000);
  CHECK(at(object, "/intervals/1/streams/0/rtt").to_number<int>() == 320);
  CHECK(at(object, "/end/sum_sent/bytes").to_number<int>() == 201'000'000);
  CHECK(at(object, "/end/sum_sent/retransmits").to_number<int>() == 7);
  CHECK(at(object, "/end/sum_received/bits_per_second").to_number<double>() == Approx(8e8));
  CHECK(at(object, "/end/streams/0/sender/max_rtt").to_number<int>() == 320);
  CHECK(at(object, "/end/streams/0/receiver/bytes").to_number<int>() == 200'000'000);
  CHECK(at(object, "/end/cpu_utilization_percent/host_total").to_number<double>() == 0);
}

TEST_CASE("both directions at once have sums of their own") {
  const auto object = formats::iperf3_json(result_of({measure::Direction::write, measure::Direction::read}),
                                           {.version = "nasdiag", .system_info = "", .started_at = {}});
  CHECK(at(object, "/start/test_start/bidir").to_number<int>() == 1);
  CHECK(at(object, "/end/sum_received_bidir_reverse/bytes").to_number<int>() == 200'000'000);
  CHECK(at(object, "/intervals/0/sum_bidir_reverse/sender").as_bool() == false);
  CHECK(object.at("end").at("streams").as_array().size() == 2);
}

TEST_CASE("a failure is told as iperf3 tells it") {
  const auto object =
      formats::iperf3_error_json("it failed", {.version = "nasdiag", .system_info = "", .started_at = {}});
  CHECK(object.at("error").as_string() == "it failed");
}

TEST_CASE("text is iperf3's table") {
  const std::string text = formats::iperf3_text(result_of({measure::Direction::write}), Seconds(1));
  INFO(text);
  CHECK(text.find("[  1]   0.00-1.00   sec  95.4 MBytes   800 Mbits/sec     0  9.77 KBytes") !=
        std::string::npos);
  CHECK(text.find("[  1]   1.00-2.00   sec  95.4 MBytes   800 Mbits/sec     7  9.77 KBytes") !=
        std::string::npos);
  CHECK(text.find("sender") != std::string::npos);
  CHECK(text.find("receiver") != std::string::npos);
}

TEST_CASE("amounts and rates have three digits and iperf3's units") {
  CHECK(formats::iperf3_amount(ByteCount::bytes(0)) == "0.00 Bytes");
  CHECK(formats::iperf3_amount(ByteCount::mebibytes(112)) == "112 MBytes");
  CHECK(formats::iperf3_amount(ByteCount::gibibytes(1)) == "1.00 GBytes");
  CHECK(formats::iperf3_rate(DataRate::megabits_per_second(941.4)) == "941 Mbits/sec");
  CHECK(formats::iperf3_rate(DataRate::megabits_per_second(9410)) == "9.41 Gbits/sec");
  CHECK(formats::iperf3_rate(DataRate::megabits_per_second(94.1)) == "94.1 Mbits/sec");
}
