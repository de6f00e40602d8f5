// Our client against peers that misbehave, and against our own server.

#include "fake_peer.hpp"
#include "iperf3_process.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace nasdiag::tests;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

TcpOptions options_for(std::uint16_t port) {
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.time = 500ms;
  options.connect_timeout = 2s;
  return options;
}

TcpResult run(const TcpOptions& options, const std::stop_token& stop = {}) {
  measure::NoProgress progress;
  return measure_tcp(options, progress, stop);
}

std::error_code failure_of(const TcpOptions& options) {
  try {
    run(options);
  } catch (const std::system_error& error) {
    INFO(error.what());
    CHECK_FALSE(std::string(error.what()).empty());
    return error.code();
  }
  return {};
}

// Talks as a server up to the start of a test with one stream, then does `in_test` with the control
// connection.
class Script {
 public:
  explicit Script(std::function<void(Line&)> in_test) : in_test_(std::move(in_test)) {}
  void operator()(Line& line, int number) {
    line.read(37);
    if (number == 0) {
      line.send("\x09");
      line.read_message();
      line.send("\x0a");
      control_ = std::make_shared<Line>(std::move(line));
      return;
    }
    control_->send("\x01\x02");
    in_test_(*control_);
    control_.reset();
  }

 private:
  std::function<void(Line&)> in_test_;
  std::shared_ptr<Line> control_;
};

constexpr const char* kResults =
    R"({"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,
  "streams":[{"id":1,"bytes":0,"retransmits":-1,"jitter":0,"errors":0,"packets":0}]})";

}  // namespace

TEST_CASE("what stands in the way of a test is named") {
  SECTION("nobody listens") { CHECK(failure_of(options_for(free_port())) == Errc::refused); }
  SECTION("the name is unknown") {
    TcpOptions options = options_for(5201);
    options.host = "no-such-host.invalid";
    CHECK(failure_of(options) == Errc::unknown_host);
  }
  SECTION("another protocol") {
    FakePeer peer([](Line& line, int) { line.send("SSH-2.0-OpenSSH\r\n"), line.closed_by_peer(); });
    CHECK(failure_of(options_for(peer.port())) == Errc::not_iperf3);
  }
  SECTION("busy") {
    FakePeer peer([](Line& line, int) { line.send("\xff"), line.closed_by_peer(); });
    CHECK(failure_of(options_for(peer.port())) == Errc::busy);
  }
  SECTION("closed before a word") {
    FakePeer peer([](Line&, int) {});
    CHECK(failure_of(options_for(peer.port())) == Errc::busy);
  }
  SECTION("closed after the parameters") {
    FakePeer peer([](Line& line, int) { line.send("\x09"), line.read(37), line.read_message(); });
    CHECK(failure_of(options_for(peer.port())) == Errc::auth_required);
  }
  SECTION("authentication failed, said with one word") {
    FakePeer peer([](Line& line, int) {
      line.send("\x09"), line.read(37), line.read_message();
      line.send(std::string("\xfe\x00\x00\x00\x8e", 5));
    });
    CHECK(failure_of(options_for(peer.port())) == Errc::auth_required);
  }
  SECTION("parameters refused, said with two words") {
    FakePeer peer([](Line& line, int) {
      line.send("\x09"), line.read(37), line.read_message();
      line.send(std::string("\xfe\x00\x00\x00\x72\x00\x00\x00\x09", 9));
    });
    CHECK(failure_of(options_for(peer.port())) == Errc::parameters_rejected);
  }
  SECTION("a server too old for both directions at once") {
    FakePeer peer([](Line& line, int number) {
      line.read(37);
      if (number > 0) return;
      line.send("\x09"), line.read_message(), line.send("\x0a");
    });
    TcpOptions options = options_for(peer.port());
    options.flow = Flow::both;
    CHECK(failure_of(options) == Errc::bidir_unsupported);
  }
  SECTION("a server so old that it begins both directions and refuses half of the streams") {
    std::vector<Line> held;
    FakePeer peer([&](Line& line, int number) {
      line.read(37);
      if (number == 0) line.send("\x09"), line.read_message(), line.send("\x0a");
      if (number == 2) held.front().send("\x01\x02"), line.send("\xff"), line.reset();
      if (number < 2) held.push_back(std::move(line));
    });
    TcpOptions options = options_for(peer.port());
    options.flow = Flow::both;
    CHECK(failure_of(options) == Errc::bidir_unsupported);
  }
  SECTION("options that make no sense") {
    TcpOptions options = options_for(5201);
    options.streams = 129;
    CHECK(failure_of(options) == std::errc::invalid_argument);
  }
  SECTION("a window that the kernel doesn't grant") {
    Server server({.port = 0});
    TcpOptions options = options_for(server.port());
    options.window = measure::ByteCount::mebibytes(500);
    CHECK(failure_of(options) == Errc::socket_option);
  }
}

TEST_CASE("a server that falls silent is given up within its bound", "[slow]") {
  FakePeer peer([](Line& line, int) { line.closed_by_peer(); });
  const auto begin = Clock::now();
  CHECK(failure_of(options_for(peer.port())) == Errc::not_iperf3);
  CHECK(Clock::now() - begin < 15s);
}

TEST_CASE("a stop ends the wait for a silent server within a second") {
  FakePeer peer([](Line& line, int) { line.closed_by_peer(); });
  std::stop_source stop;
  auto result =
      std::async(std::launch::async, [&] { return run(options_for(peer.port()), stop.get_token()); });
  std::this_thread::sleep_for(200ms);
  const auto begin = Clock::now();
  stop.request_stop();
  CHECK_THROWS_AS(result.get(), std::system_error);
  CHECK(Clock::now() - begin < 1s);
}

TEST_CASE("a stopped run ends within a second and keeps its samples") {
  Server server({.port = 0});
  TcpOptions options = options_for(server.port());
  options.time = 30s;
  options.flow = GENERATE(Flow::write, Flow::read, Flow::both);
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return run(options, stop.get_token()); });
  std::this_thread::sleep_for(700ms);
  const auto begin = Clock::now();
  stop.request_stop();
  const TcpResult kept = result.get();
  CHECK(Clock::now() - begin < 1s);
  CHECK(kept.stop_reason == StopReason::stopped);
  for (const DirectionResult& direction : kept.directions) {
    CHECK(direction.series.size() >= 3);
    CHECK(direction.throughput.bits_per_second() > 0);
  }
}

TEST_CASE("a stopped run whose server is stuck ends within a second as well") {
  FakePeer peer(Script([](Line& control) { control.closed_by_peer(); }));
  TcpOptions options = options_for(peer.port());
  options.time = 30s;
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return run(options, stop.get_token()); });
  std::this_thread::sleep_for(500ms);
  const auto begin = Clock::now();
  stop.request_stop();
  const TcpResult kept = result.get();
  CHECK(Clock::now() - begin < 1s);
  CHECK_FALSE(kept.complete);
}

TEST_CASE("what a server says in the middle of a test ends it, and the samples stay") {
  const auto [words, wanted] = GENERATE(table<std::string, std::string>({
      {"\x0b", "shut down"},
      {std::string("\xfe\x00\x00\x00\x1b\x00\x00\x00\x00", 9), "rate"},
      {"\x63", "state 99"},
      {"", "closed"},
  }));
  const std::string said = words;
  FakePeer peer(Script([said](Line& control) {
    std::this_thread::sleep_for(1s);  // until then the streams run, however busy the machine is
    control.send(said);
  }));
  TcpOptions options = options_for(peer.port());
  options.time = 5s;
  const TcpResult result = run(options);
  CHECK(result.stop_reason == StopReason::peer_ended);
  REQUIRE_FALSE(result.notes.empty());
  CHECK(result.notes.front().text.find(wanted) != std::string::npos);
}

TEST_CASE("a stray error after the farewell, and results in pieces, do no harm") {
  FakePeer peer(Script([](Line& control) {
    CHECK(control.read(1) == "\x04");
    control.send("\x0d");
    control.read_message();
    const std::string body = kResults;
    control.send(std::string("\x00\x00", 2));
    std::this_thread::sleep_for(50ms);
    control.send({static_cast<char>(body.size() >> 8U), static_cast<char>(body.size() & 0xFFU)});
    std::this_thread::sleep_for(50ms);
    control.send(body + "\x0e");
    CHECK(control.read(1) == "\x10");
    control.send(std::string("\xfe\x00\x00\x00\xcd\x00\x00\x00\x09", 9));
    control.closed_by_peer();
  }));
  const TcpResult result = run(options_for(peer.port()));
  CHECK(result.complete);
  CHECK(result.stop_reason == StopReason::time_over);
}

TEST_CASE("a server that never closes at the end is left") {
  FakePeer peer(Script([](Line& control) {
    control.read(1);
    control.send("\x0d");
    control.read_message();
    control.send_message(kResults);
    control.send("\x0e");
    control.read(1);
    std::this_thread::sleep_for(2s);
  }));
  const auto begin = Clock::now();
  CHECK(run(options_for(peer.port())).complete);
  CHECK(Clock::now() - begin < 2s);
}

TEST_CASE("results that can't be read are missing, not fatal") {
  const std::string results = GENERATE(as<std::string>(), "nonsense", "{}", R"({"streams":[1]})");
  FakePeer peer(Script([results](Line& control) {
    control.read(1);
    control.send("\x0d");
    control.read_message();
    control.send_message(results);
    control.closed_by_peer();
  }));
  const TcpResult result = run(options_for(peer.port()));
  CHECK_FALSE(result.complete);
  REQUIRE_FALSE(result.notes.empty());
  CHECK(result.notes.front().code == "no-peer-results");
  CHECK(result.directions.front().series.size() >= 3);
}

TEST_CASE("a run ends when it knows the throughput well enough") {
  Server server({.port = 0});
  TcpOptions options = options_for(server.port());
  options.time = 20s;
  options.rate = measure::DataRate::megabits_per_second(200);
  options.precision = measure::StopRule{.relative_half_width = 0.2, .shortest = measure::Seconds(1)};
  const TcpResult result = run(options);
  CHECK(result.stop_reason == StopReason::precise);
  REQUIRE(result.directions.front().precision);
  CHECK(result.duration.count() < 10);
}

TEST_CASE("IPv6 and a bound address are used as asked") {
  Server server({.port = 0});
  TcpOptions options = options_for(server.port());
  SECTION("IPv6") {
    options.host = "::1";
    options.family = AddressFamily::ipv6;
    try {
      CHECK(run(options).remote_address == "::1");
    } catch (const std::system_error&) {
      WARN("SKIPPED: no IPv6 loopback here");
    }
  }
  SECTION("bound") {
    options.bind_address = "127.0.0.7";
    CHECK(run(options).local_address == "127.0.0.7");
  }
}
