// With Debian's iperf3 at the other end.

#include "iperf3_process.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>

#include <csignal>
#include <future>
#include <mutex>
#include <sstream>
#include <thread>

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace nasdiag::tests;
using namespace std::chrono_literals;
using measure::Direction;

namespace {

TcpOptions options_for(std::uint16_t port) {
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.time = 1s;
  return options;
}

TcpResult run(const TcpOptions& options) {
  measure::NoProgress progress;
  return measure_tcp(options, progress, {});
}

void check_direction(const TcpResult& result, Direction way, std::size_t streams) {
  const DirectionResult* direction = result.find(way);
  REQUIRE(direction != nullptr);
  CHECK(direction->streams.size() == streams);
  CHECK(direction->throughput.bits_per_second() > 0);
  CHECK(direction->sent.bytes() > 0);
  CHECK(direction->received.bytes() > 0);
  CHECK(direction->retransmits);
  CHECK_FALSE(direction->congestion.empty());
  for (const StreamResult& stream : direction->streams) {
    CHECK(stream.sent);
    CHECK(stream.received);
    CHECK(stream.tcp_info.size() >= 5);
  }
}

// Keeps what a server of ours said about its last test.
class Served {
 public:
  explicit Served(ServerOptions options = {}) {
    options.port = 0;
    options.on_test = [this](const ServedTest& test) {
      const std::lock_guard lock(mutex_);
      last_ = test;
    };
    server_.emplace(std::move(options));
  }
  std::string port() const { return std::to_string(server_->port()); }
  ServedTest last() {
    for (int i = 0; i < 300; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (last_) return *last_;
      }
      std::this_thread::sleep_for(10ms);
    }
    return {};
  }

 private:
  std::mutex mutex_;
  std::optional<ServedTest> last_;
  std::optional<Server> server_;
};

}  // namespace

TEST_CASE("our client measures against iperf3 -s, whatever the flow") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  Iperf3Server server;
  TcpOptions options = options_for(server.port());
  SECTION("write") {
    const TcpResult result = run(options);
    check_direction(result, Direction::write, 1);
    CHECK(result.complete);
    CHECK(result.stop_reason == StopReason::time_over);
    CHECK(result.directions.front().source == SeriesSource::acknowledged);
    CHECK(result.directions.front().series.size() >= 9);
    CHECK(result.remote_cpu);
    CHECK(result.remote_address == "127.0.0.1");
    CHECK(result.segment_size > 0);
  }
  SECTION("read") {
    options.flow = Flow::read;
    const TcpResult result = run(options);
    check_direction(result, Direction::read, 1);
    CHECK(result.directions.front().source == SeriesSource::received);
  }
  SECTION("four streams, then four the other way") {
    options.streams = 4;
    check_direction(run(options), Direction::write, 4);
    options.flow = Flow::read;
    check_direction(run(options), Direction::read, 4);
  }
  SECTION("both at once") {
    options.flow = Flow::both;
    options.streams = 2;
    const TcpResult result = run(options);
    check_direction(result, Direction::write, 2);
    check_direction(result, Direction::read, 2);
    CHECK(result.directions[0].streams[1].id == 3);
    CHECK(result.directions[1].streams[0].id == 4);
  }
  SECTION("with window, MSS, TCP_NODELAY, a congestion control, copying, small blocks") {
    options.window = measure::ByteCount::kibibytes(256);
    options.segment_size = 1400;
    options.nagle = Nagle::off;
    options.congestion = "reno";
    options.zero_copy = ZeroCopy::off;
    options.block_size = measure::ByteCount::kibibytes(16);
    const TcpResult result = run(options);
    check_direction(result, Direction::write, 1);
    CHECK(result.congestion == "reno");
    CHECK(result.segment_size <= 1400);
    CHECK(result.directions.front().sending_method == "write");
  }
  SECTION("an omitted second") {
    options.omit = 1s;
    const TcpResult result = run(options);
    check_direction(result, Direction::write, 1);
    CHECK(result.omitted.count() == Approx(1).margin(0.3));
    CHECK(result.duration.count() == Approx(1).margin(0.5));
  }
}

TEST_CASE("our client ends at an amount against iperf3 -s") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  Iperf3Server server;
  TcpOptions options = options_for(server.port());
  options.time = 0s;
  options.amount = measure::ByteCount::mebibytes(30);
  options.streams = 3;
  SECTION("write") {
    const TcpResult result = run(options);
    CHECK(result.stop_reason == StopReason::amount_reached);
    // The streams share the amount in blocks; the last of each may be cut or go on.
    CHECK(result.directions.front().sent >= measure::ByteCount::mebibytes(28));
    CHECK(result.directions.front().sent <= measure::ByteCount::mebibytes(32));
    CHECK(result.complete);
  }
  SECTION("read") {
    options.flow = Flow::read;
    const TcpResult result = run(options);
    CHECK(result.stop_reason == StopReason::amount_reached);
    CHECK(result.directions.front().received >= *options.amount);
  }
}

TEST_CASE("a busy iperf3 -s is waited for, within the budget") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  Iperf3Server server;
  Iperf3 other({"-c", "127.0.0.1", "-p", std::to_string(server.port()), "-t", "2", "-b", "1M"});
  std::this_thread::sleep_for(700ms);
  TcpOptions options = options_for(server.port());
  options.time = 300ms;
  try {
    run(options);
    FAIL("the server was not busy");
  } catch (const std::system_error& error) {
    CHECK(error.code() == Errc::busy);
  }
  options.busy_wait = 10s;
  CHECK(run(options).complete);
}

TEST_CASE("an iperf3 -s that dies in mid-test leaves the samples") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  const int signal = GENERATE(SIGKILL, SIGINT);
  const Flow flow = GENERATE(Flow::write, Flow::read);
  Iperf3Server server;
  TcpOptions options = options_for(server.port());
  options.flow = flow;
  options.time = 10s;
  auto result = std::async(std::launch::async, [&] { return run(options); });
  std::this_thread::sleep_for(800ms);
  server.process().kill(signal);
  REQUIRE(result.wait_for(5s) == std::future_status::ready);
  const TcpResult kept = result.get();
  CHECK(kept.stop_reason == StopReason::peer_ended);
  CHECK_FALSE(kept.complete);
  CHECK(kept.directions.front().series.size() >= 3);
  CHECK_FALSE(kept.notes.empty());
}

TEST_CASE("iperf3 -c is content with our server") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  const std::string mode =
      GENERATE(as<std::string>(), "-t 1", "-t 1 -R", "-t 1 -P 4", "-t 1 -P 4 -R", "-t 1 --bidir",
               "-t 1 --bidir -P 2", "-t 1 -O 1 -P 2", "-n 20M", "-k 100 -R", "-t 1 -w 128K -M 1400 -N",
               "-t 1 -Z -R", "-t 1 -b 50M -R", "-t 1 --get-server-output");
  CAPTURE(mode);
  Served served;
  std::vector<std::string> words{"-c", "127.0.0.1", "-p", served.port()};
  std::istringstream stream(mode);
  for (std::string word; stream >> word;) words.push_back(word);
  Iperf3 client(words);
  CHECK(client.wait() == 0);
  INFO(client.output());
  CHECK(client.output().find("iperf Done.") != std::string::npos);
  CHECK(client.output().find("warning") == std::string::npos);
  const ServedTest test = served.last();
  CHECK(test.outcome == "done");
  CHECK((test.sent + test.received).bytes() > 0);
}

TEST_CASE("our server tells iperf3 -c that it is busy, and goes on") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  Served served;
  Iperf3 first({"-c", "127.0.0.1", "-p", served.port(), "-t", "2", "-b", "10M"});
  std::this_thread::sleep_for(500ms);
  Iperf3 second({"-c", "127.0.0.1", "-p", served.port(), "-t", "1"});
  CHECK(second.wait() == 1);
  CHECK(second.output().find("busy") != std::string::npos);
  CHECK(first.wait() == 0);
  CHECK(served.last().outcome == "done");
}

TEST_CASE("our server is free again when its client was killed") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  const int signal = GENERATE(SIGKILL, SIGINT);
  Served served;
  Iperf3 victim({"-c", "127.0.0.1", "-p", served.port(), "-t", "20"});
  std::this_thread::sleep_for(500ms);
  victim.kill(signal);
  CHECK(served.last().outcome != "done");
  CHECK(served.last().received.bytes() >= 0);
  Iperf3 next({"-c", "127.0.0.1", "-p", served.port(), "-t", "1"});
  CHECK(next.wait() == 0);
}
