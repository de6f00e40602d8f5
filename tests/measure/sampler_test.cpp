#include <measure/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

using namespace nasdiag::measure;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST_CASE("a sampler ticks about once per interval, first after one interval") {
  const auto start = steady_clock::now();
  std::vector<steady_clock::time_point> ticks;
  {
    Sampler sampler(20ms, [&] { ticks.push_back(steady_clock::now()); });
    std::this_thread::sleep_for(500ms);
  }
  REQUIRE(ticks.size() >= 5);
  CHECK(ticks.size() <= 30);
  CHECK(ticks.front() - start >= 20ms);
}

TEST_CASE("a late tick doesn't move the grid and isn't made up for") {
  std::vector<steady_clock::time_point> ticks;
  const auto start = steady_clock::now();
  {
    Sampler sampler(50ms, [&] {
      ticks.push_back(steady_clock::now());
      if (ticks.size() == 1) std::this_thread::sleep_for(120ms);
    });
    std::this_thread::sleep_for(600ms);
  }
  REQUIRE(ticks.size() >= 3);
  CHECK(ticks.size() <= 11);
  // Ticks come at whole intervals after the start, each somewhat late, never early.
  CHECK(ticks[1] - start >= 200ms);
  for (std::size_t i = 1; i < ticks.size(); ++i) CHECK(ticks[i] > ticks[i - 1]);
}

TEST_CASE("every tick comes from the same other thread") {
  std::set<std::thread::id> threads;
  {
    Sampler sampler(5ms, [&] { threads.insert(std::this_thread::get_id()); });
    std::this_thread::sleep_for(100ms);
  }
  CHECK(threads.size() == 1);
  CHECK_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_CASE("destruction doesn't wait for the next tick, and none follows it") {
  std::atomic<int> ticks = 0;
  const auto start = steady_clock::now();
  {
    Sampler sampler(1h, [&] { ++ticks; });
  }
  CHECK(steady_clock::now() - start < 10s);
  CHECK(ticks == 0);

  {
    Sampler sampler(1ms, [&] { ++ticks; });
  }
  const int after_destruction = ticks;
  std::this_thread::sleep_for(30ms);
  CHECK(ticks == after_destruction);
}

TEST_CASE("destruction waits for a running tick") {
  std::atomic<bool> running = false;
  std::atomic<bool> finished = false;
  {
    Sampler sampler(1ms, [&] {
      running = true;
      std::this_thread::sleep_for(50ms);
      finished = true;
    });
    while (!running) std::this_thread::sleep_for(1ms);
  }
  CHECK(finished);
}
