// Our server against clients that misbehave.

#include "fake_peer.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace nasdiag::tests;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

const std::string kCookie = std::string("vm.1796024970.138946.2cc06f7319bf86d") + '\0';

ServerOptions quick() {
  ServerOptions options;
  options.port = 0;
  options.message_timeout = 700ms;
  options.setup_timeout = 700ms;
  return options;
}

bool serves(const Server& server) {
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.time = 200ms;
  options.busy_wait = 5s;
  return measure_tcp(options, progress, {}).complete;
}

// Up to CREATE_STREAMS.
Line client_with(const Server& server, const std::string& parameters) {
  Line line = Line::to(server.port());
  line.send(kCookie);
  CHECK(line.read(1) == "\x09");
  line.send_message(parameters);
  return line;
}

}  // namespace

TEST_CASE("a refused request is told why, in iperf3's code") {
  Server server(quick());
  const auto [parameters, code] = GENERATE(table<std::string, char>({{"nonsense", '\x72'},
                                                                     {"{\"parallel\":0}", '\x06'},
                                                                     {"{\"parallel\":129}", '\x06'},
                                                                     {"{\"len\":2000000}", '\x07'},
                                                                     {"{\"time\":100000}", '\x25'}}));
  CAPTURE(parameters);
  const Line line = client_with(server, parameters);
  const std::string answer = line.read(9);
  REQUIRE(answer.size() == 9);
  CHECK(answer[0] == '\xfe');
  CHECK(answer[4] == code);
  CHECK(line.closed_by_peer());
  CHECK(serves(server));
}

TEST_CASE("parameters that are too long are refused before they come") {
  Server server(quick());
  const auto length = GENERATE(as<std::string>(), "\xff\xff\xff\xff", std::string("\x00\x00\x20\x01", 4),
                               std::string(4, '\0'));
  Line line = Line::to(server.port());
  line.send(kCookie);
  line.read(1);
  line.send(length);
  CHECK(line.read(1) == "\xfe");
}

TEST_CASE("a client that leaves or falls silent, in whatever phase, leaves the server free") {
  Server server(quick());
  SECTION("without a word") {
    const Line silent = Line::to(server.port());
    const Line another = Line::to(server.port());
    CHECK(serves(server));
  }
  SECTION("in the middle of the cookie") {
    const Line line = Line::to(server.port());
    line.send("half a cookie");
    CHECK(serves(server));
  }
  SECTION("instead of the parameters") {
    const Line line = Line::to(server.port());
    line.send(kCookie);
    line.read(1);
    CHECK(serves(server));
  }
  SECTION("in the middle of the parameters") {
    const Line line = Line::to(server.port());
    line.send(kCookie);
    line.read(1);
    line.send(std::string("\x00\x00\x00\x64{\"time", 9));
    CHECK(serves(server));
  }
  SECTION("instead of the streams") {
    const Line line = client_with(server, "{}");
    CHECK(line.read(1) == "\x0a");
    CHECK(serves(server));
  }
  SECTION("closing while the streams are awaited") {
    { const Line line = client_with(server, "{}"); }
    CHECK(serves(server));
  }
}

TEST_CASE("connections with a wrong cookie get an answer and don't disturb") {
  Server server(quick());
  const Line control = client_with(server, "{\"time\":1}");
  CHECK(control.read(1) == "\x0a");
  const Line stranger = Line::to(server.port());
  stranger.send(std::string(36, 'x') + '\0');
  CHECK(stranger.read(1) == "\xff");
  CHECK(stranger.closed_by_peer());
  const Line stream = Line::to(server.port());
  stream.send(kCookie);
  CHECK(control.read(2) == "\x01\x02");

  SECTION("busy for one that waits for a byte, and for one that speaks first") {
    const Line waiting = Line::to(server.port());
    CHECK(waiting.read(1) == "\xff");
    const Line speaking = Line::to(server.port());
    speaking.send(kCookie);
    CHECK(speaking.read(1) == "\xff");
  }
  SECTION("the end, with EOF in place of the farewell") {
    stream.send("payload");
    std::this_thread::sleep_for(100ms);
    control.send("\x04");
    CHECK(control.read(1) == "\x0d");
    control.send_message("{\"anything\":true}");
    const std::string results = control.read_message();
    CHECK(results.find(R"("id":1,"bytes":7,"retransmits":-1)") != std::string::npos);
    CHECK(control.read(1) == "\x0e");
  }
  SECTION("an unknown state") {
    control.send("\x63");
    const std::string answer = control.read(9);
    CHECK(answer == std::string("\xfe\x00\x00\x00\x6e\x00\x00\x00\x00", 9));
  }
  SECTION("a broken stream") {
    stream.reset();
    { const Line gone(std::move(const_cast<Line&>(stream))); }
    CHECK(control.closed_by_peer());
  }
}

TEST_CASE("128 streams are served") {
  Server server({.port = 0});
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.time = 500ms;
  options.streams = 128;
  const TcpResult result = measure_tcp(options, progress, {});
  CHECK(result.complete);
  CHECK(result.directions.front().streams.back().id == 129);
}

TEST_CASE("a server that is destroyed in mid-test tells its client and is gone within a second") {
  auto server = std::make_unique<Server>(ServerOptions{.port = 0});
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = server->port();
  std::jthread destroyer([&] {
    std::this_thread::sleep_for(500ms);
    const auto begin = Clock::now();
    server.reset();
    CHECK(Clock::now() - begin < 1s);
  });
  const TcpResult result = measure_tcp(options, progress, {});
  CHECK(result.stop_reason == StopReason::peer_ended);
}

TEST_CASE("a port in use is an error that says so") {
  Server server({.port = 0});
  CHECK_THROWS_WITH(Server({.port = server.port()}),
                    Catch::Contains("TCP port " + std::to_string(server.port())));
}

TEST_CASE("a server's limits are kept") {
  ServerOptions limits = quick();
  limits.highest_rate = measure::DataRate::megabits_per_second(100);
  Server server(limits);
  SECTION("asking for more is refused") {
    const Line line = client_with(server, "{\"bandwidth\":200000000}");
    CHECK(line.read(5) == std::string("\xfe\x00\x00\x00\x1b", 5));
  }
}
