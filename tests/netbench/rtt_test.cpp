// The round-trip probe beside the streams.

#include "fake_peer.hpp"
#include "iperf3_process.hpp"

#include <netbench/client.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace nasdiag::tests;
using namespace std::chrono_literals;

namespace {

TcpResult probed(std::uint16_t port) {
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.time = 500ms;
  options.rtt_probe = RttProbe::on;
  options.rate = measure::DataRate::megabits_per_second(50);
  return measure_tcp(options, progress, {});
}

}  // namespace

TEST_CASE("another nasdiag echoes beside its test") {
  Server server({.port = 0});
  const TcpResult result = probed(server.port());
  REQUIRE(result.rtt);
  CHECK(result.complete);
  CHECK(result.rtt->method == "echo");
  CHECK(result.rtt->loaded.count() > 3);
  CHECK(result.rtt->idle.count() > 2);
}

TEST_CASE("beside a plain iperf3 the closed port's resets are timed") {
  if (!iperf3_installed()) {
    WARN("SKIPPED: iperf3 is not installed");
    return;
  }
  Iperf3Server server;
  const TcpResult result = probed(server.port());
  CHECK(result.complete);
  REQUIRE(result.rtt);
  CHECK(result.rtt->method == "connect");
  CHECK(result.rtt->loaded.count() > 3);
  CHECK(result.rtt->idle.count() > 2);
}
