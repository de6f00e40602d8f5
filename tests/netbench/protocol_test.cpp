#include "protocol.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace nasdiag::netbench;

TEST_CASE("streams are numbered 1, 3, 4, … as both ends of iperf3 do") {
  CHECK(stream_id(0) == 1);
  CHECK(stream_id(1) == 3);
  CHECK(stream_id(2) == 4);
  CHECK(stream_id(127) == 129);
}

TEST_CASE("a cookie is 36 characters and a NUL, and never the same") {
  const std::string cookie = make_cookie();
  REQUIRE(cookie.size() == kCookieSize);
  CHECK(cookie.back() == '\0');
  CHECK(cookie.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567") == kCookieSize - 1);
  CHECK(make_cookie() != cookie);
}

TEST_CASE("a frame is the length in network order and the body") {
  const std::string framed = frame(std::string(300, 'x'));
  CHECK(framed.substr(0, 4) == std::string("\x00\x00\x01\x2c", 4));
  CHECK(framed.size() == 304);
  CHECK(frame_length(framed) == 300);
  CHECK(frame_length("\xff\xff\xff\xff") == 0xFFFFFFFFU);
}

TEST_CASE("parameters have iperf3's keys in iperf3's order") {
  Parameters p;
  p.time = 1;
  p.block_size = 131072;
  p.client_version = "3.21";
  CHECK(
      write_parameters(p) ==
      R"({"tcp":true,"omit":0,"time":1,"num":0,"blockcount":0,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.21"})");
  p.flow = Flow::both;
  p.segment_size = 1400;
  p.nodelay = true;
  p.window = 262144;
  const std::string text = write_parameters(p);
  CHECK(
      text.find(
          R"("blockcount":0,"MSS":1400,"nodelay":true,"parallel":1,"bidirectional":true,"window":262144,"len")") !=
      std::string::npos);
}

TEST_CASE("parameters survive the way over the wire") {
  Parameters p;
  p.omit = 2;
  p.time = 30;
  p.amount = 1'000'000;
  p.blocks = 7;
  p.streams = 5;
  p.flow = Flow::read;
  p.block_size = 4096;
  p.window = 65536;
  p.segment_size = 1400;
  p.nodelay = true;
  p.rate = 5'000'000;
  p.kernel_rate = 6'000'000;
  p.type_of_service = 16;
  p.congestion = "cubic";
  p.title = "a title";
  p.auth_token = "abc=";
  p.zero_copy = true;
  p.discard = true;
  p.wants_output = true;
  p.client_version = "3.21";
  const ParsedParameters parsed = read_parameters(write_parameters(p));
  CHECK_FALSE(parsed.refusal);
  // "fqrate" is only written, "bandwidth" too; both are read.
  CHECK(parsed.parameters == p);
}

TEST_CASE("missing parameters have iperf3's defaults") {
  const ParsedParameters parsed = read_parameters("{}");
  CHECK_FALSE(parsed.refusal);
  CHECK(parsed.parameters.time == 10);
  CHECK(parsed.parameters.streams == 1);
  CHECK(parsed.parameters.block_size == 131072);
  CHECK(parsed.parameters.flow == Flow::write);
}

TEST_CASE("parameters that can't be served are refused with iperf3's code") {
  const auto [text, code] =
      GENERATE(table<std::string, int>({{"", 114},
                                        {"[]", 114},
                                        {"{\"time\":", 114},
                                        {"{\"time\":\"ten\"}", 114},
                                        {"{\"reverse\":\"yes\"}", 114},
                                        {"{\"parallel\":0}", 6},
                                        {"{\"parallel\":-1}", 6},
                                        {"{\"parallel\":129}", 6},
                                        {"{\"parallel\":1e300}", 114},
                                        {"{\"parallel\":1000000}", 6},
                                        {"{\"parallel\":4294967297}", 6},
                                        {"{\"len\":-5}", 7},
                                        {"{\"len\":1048577}", 7},
                                        {"{\"window\":1e12}", 8},
                                        {"{\"MSS\":1}", 10},
                                        {"{\"MSS\":40000}", 10},
                                        {"{\"omit\":601}", 5},
                                        {"{\"time\":-1}", 5},
                                        {"{\"num\":-1}", 114},
                                        {"{\"TOS\":256}", 114},
                                        {"{\"udp\":true}", 131},
                                        {std::string(100, '[') + std::string(100, ']'), 114}}));
  CAPTURE(text);
  const ParsedParameters parsed = read_parameters(text);
  REQUIRE(parsed.refusal);
  CHECK(parsed.refusal->code == code);
}

TEST_CASE("control characters of a peer never reach a terminal") {
  CHECK(sanitise("a\x1b[31mb\x07\x7f", 100) == "a?[31mb??");
  CHECK(sanitise("line\nnext\ttab", 100) == "line\nnext\ttab");
  CHECK(sanitise("\xc2\x9b"
                 "31m \xc3\xa4",
                 100) ==
        "?\x3f"
        "31m \xc3\xa4");
  CHECK(sanitise("longer than that", 6) == "longer");
  const ParsedParameters parsed =
      read_parameters("{\"title\":\"x\\u001b[2J\",\"congestion\":\"0123456789abcdefgh\"}");
  CHECK(parsed.parameters.title == "x?[2J");
  CHECK(parsed.parameters.congestion == "0123456789abcdef");
}

TEST_CASE("results survive the way over the wire") {
  Results results;
  results.cpu_total = 120.5;
  results.cpu_user = 20.5;
  results.cpu_system = 100;
  results.sender_has_retransmits = 1;
  results.congestion = "bbr";
  results.streams = {{.id = 1, .bytes = 1283194880, .retransmits = 108, .end_time = 1.5},
                     {.id = 3, .bytes = 5, .retransmits = -1, .end_time = 2}};
  CHECK(read_results(write_results(results)) == results);
}

TEST_CASE("results have every key that an iperf3 peer insists on") {
  Results results;
  results.streams = {{.id = 1}};
  const std::string text = write_results(results);
  for (const char* key : {"cpu_util_total", "cpu_util_user", "cpu_util_system", "sender_has_retransmits",
                          "streams", "id", "bytes", "retransmits", "jitter", "errors", "omitted_errors",
                          "packets", "omitted_packets", "start_time", "end_time"}) {
    CAPTURE(key);
    CHECK(text.find('"' + std::string(key) + '"') != std::string::npos);
  }
}

TEST_CASE("numbers are read as every release prints them") {
  const auto [text, bytes, retransmits] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {R"("bytes":978190336,"retransmits":18446744073709551615)", 978190336, -1},  // 3.12
      {R"("bytes":1e+15,"retransmits":-1)", 1'000'000'000'000'000, -1},            // 3.2 to 3.11
      {R"("bytes":1.5e3,"retransmits":7.0)", 1500, 7},
      {R"("bytes":5.000000,"retransmits":1.8446744073709552e19)", 5, -1},
      {R"("bytes":-3,"retransmits":null)", 0, -1},
      {R"("retransmits":-99)", 0, -1},
      {R"("bytes":"12","retransmits":true)", 0, -1},
  }));
  CAPTURE(text);
  const Results results = read_results(R"({"cpu_util_total":null,"streams":[{"id":1,)" + text + "}]}");
  REQUIRE(results.streams.size() == 1);
  CHECK(results.streams[0].bytes == bytes);
  CHECK(results.streams[0].retransmits == retransmits);
  CHECK(results.cpu_total == 0);
}

TEST_CASE("results of a hostile peer are refused or clamped") {
  CHECK_THROWS_AS(read_results(""), std::system_error);
  CHECK_THROWS_AS(read_results("{}"), std::system_error);
  CHECK_THROWS_AS(read_results("{\"streams\":{}}"), std::system_error);
  CHECK_THROWS_AS(read_results("{\"streams\":[5]}"), std::system_error);
  std::string many = "{\"streams\":[{}";
  for (int i = 0; i < 256; ++i) many += ",{}";
  CHECK_THROWS_AS(read_results(many + "]}"), std::system_error);
  const Results odd =
      read_results(R"({"cpu_util_total":1e300,"cpu_util_user":-5,"streams":[{"id":1e18,"end_time":-4}]})");
  CHECK(odd.cpu_total == 1e6);
  CHECK(odd.cpu_user == 0);
  CHECK(odd.streams[0].end_time == 0);
  CHECK(odd.streams[0].id == -1);
}

TEST_CASE("a server's own report is kept, as text or as an object") {
  CHECK(read_results(R"({"server_output_text":"hello\u0007","streams":[]})").server_output == "hello?");
  CHECK(read_results(R"({"server_output_json":{"end":{}},"streams":[]})").server_output == R"({"end":{}})");
}

TEST_CASE("a server error is its state and two words") {
  CHECK(write_server_error(114, 9) == std::string("\xfe\x00\x00\x00\x72\x00\x00\x00\x09", 9));
  CHECK(describe_iperf_code(142) == "authentication failed");
  CHECK(describe_iperf_code(99) == "iperf3 error 99");
}
