#include <diagnose/formats/iperf3_result.hpp>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace nasdiag;
using Catch::WithinRel;
namespace json = boost::json;

namespace {

json::value document(const std::string& test_start, const std::string& end) {
  return json::parse(R"({"start": {"connected": [{"local_host": "192.0.2.2", "remote_host": "192.0.2.9"}],
                         "test_start": {"protocol": "TCP", "num_streams": 1)" +
                     test_start + R"(}}, "intervals": [
    {"sum": {"start": 0, "end": 1, "seconds": 1, "bytes": 117000000, "omitted": true}},
    {"sum": {"start": 0, "end": 1, "seconds": 1, "bytes": 117500000, "omitted": false}},
    {"sum": {"start": 1, "end": 2, "seconds": 1, "bytes": 117700000, "omitted": false}}],
    "end": )" + end + "}");
}

constexpr const char* kEnd = R"({
  "sum_sent": {"seconds": 2, "bytes": 235500000, "bits_per_second": 942000000, "retransmits": 7},
  "sum_received": {"seconds": 2, "bytes": 235200000, "bits_per_second": 941000000},
  "cpu_utilization_percent": {"host_total": 12.5, "remote_total": 99.1}})";

}  // namespace

TEST_CASE("iperf3 -J: what the receiver got is the rate, the omitted part is left out") {
  const auto value = document("", kEnd);
  REQUIRE(formats::is_iperf3_json(value));
  const auto result = formats::tcp_result_from_iperf3_json(value, "x.json");
  REQUIRE(result.directions.size() == 1);
  const auto& way = result.directions.front();
  CHECK(way.direction == measure::Direction::write);
  CHECK_THAT(way.throughput.megabits_per_second(), WithinRel(941.0));
  CHECK(way.series.size() == 2);
  CHECK(way.retransmits == 7);
  REQUIRE(result.remote_cpu);
  CHECK_THAT(result.remote_cpu->total, WithinRel(99.1));
  CHECK(result.remote_address == "192.0.2.9");
}

TEST_CASE("iperf3 -J -R is a read") {
  const auto result = formats::tcp_result_from_iperf3_json(document(R"(, "reverse": 1)", kEnd), "x.json");
  CHECK(result.directions.front().direction == measure::Direction::read);
}

TEST_CASE("a UDP test in iperf3's JSON is no capacity") {
  const auto value = json::parse(R"({"start": {"test_start": {"protocol": "UDP"}}, "end": {}})");
  const auto result = formats::tcp_result_from_iperf3_json(value, "x.json");
  CHECK(result.directions.empty());
  CHECK(result.notes.front().code == "udp-target-rate");
}

TEST_CASE("an iperf3 that failed says what it said") {
  const auto value = json::parse(R"({"start": {}, "error": "unable to connect to server"})");
  REQUIRE(formats::is_iperf3_json(value));
  CHECK_THROWS_WITH(formats::tcp_result_from_iperf3_json(value, "x.json"),
                    Catch::Contains("x.json") && Catch::Contains("unable to connect"));
}
