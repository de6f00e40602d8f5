#include "stalls.hpp"

#include <catch2/catch.hpp>

using namespace nasdiag::netbench;
using namespace std::chrono_literals;

namespace {

void add(nasdiag::measure::LatencyHistogram& times, std::chrono::nanoseconds time, int count) {
  for (int i = 0; i < count; ++i) times.add(time);
}

}  // namespace

TEST_CASE("round trips that waited for a timer of TCP are named") {
  RttSeries rtt;
  add(rtt.idle, 300us, 12);
  add(rtt.loaded, 2ms, 80);
  CHECK(stall_notes(rtt).empty());
  SECTION("a delayed acknowledgement") {
    add(rtt.loaded, 41ms, 6);
    REQUIRE(stall_notes(rtt).size() == 1);
    CHECK(stall_notes(rtt).front().code == "stalls-40ms");
  }
  SECTION("a retransmission timeout") {
    add(rtt.loaded, 208ms, 4);
    REQUIRE(stall_notes(rtt).size() == 1);
    CHECK(stall_notes(rtt).front().code == "stalls-200ms");
  }
  SECTION("one alone is chance") {
    add(rtt.loaded, 41ms, 1);
    CHECK(stall_notes(rtt).empty());
  }
  SECTION("a queue that fills everything in between is no timer") {
    for (auto time = 10ms; time < 60ms; time += 2ms) add(rtt.loaded, time, 3);
    CHECK(stall_notes(rtt).empty());
  }
  SECTION("a long way") {
    add(rtt.loaded, 41ms, 500);
    CHECK(stall_notes(rtt).empty());
  }
}
