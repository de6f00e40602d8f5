#include "support/made_up_series.hpp"

#include <measure/change_point.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <vector>

using namespace nasdiag::measure;
using namespace nasdiag::test;
using Catch::WithinRel;

namespace {

bool near(std::size_t found, std::size_t expected, std::size_t tolerance) {
  return found + tolerance >= expected && found <= expected + tolerance;
}

}  // namespace

TEST_CASE("a clean step is found at its sample, with bytes, time and levels") {
  const auto series = series_of(joined(constant(30, 900), constant(40, 300)));
  const auto points = change_points(series);
  REQUIRE(points.size() == 1);
  CHECK(points[0].sample == 30);
  CHECK_THAT(points[0].time.count(), WithinRel(3.0));
  CHECK_THAT(points[0].moved_before.megabytes(), WithinRel(3 * 900 / 8.0, 1e-6));
  CHECK_THAT(points[0].before.megabits_per_second(), WithinRel(900.0, 1e-6));
  CHECK_THAT(points[0].after.megabits_per_second(), WithinRel(300.0, 1e-6));
}

TEST_CASE("a step in noise is found within two samples, up or down") {
  const auto [before, after] = GENERATE(table<double, double>({{900, 600}, {600, 900}, {941, 94}}));
  unsigned found = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const auto series = series_of(joined(noise(50, before, 60, seed), noise(50, after, 60, seed + 1000)));
    const auto points = change_points(series);
    if (points.size() == 1 && near(points[0].sample, 50, 2)) ++found;
  }
  INFO(before << " to " << after << ": " << found);
  CHECK(found >= 95);
}

TEST_CASE("several steps are found in order") {
  const auto series =
      series_of(joined(joined(noise(40, 941, 10, 1), noise(40, 565, 10, 2)), noise(40, 282, 10, 3)));
  const auto points = change_points(series);
  REQUIRE(points.size() == 2);
  CHECK(near(points[0].sample, 40, 1));
  CHECK(near(points[1].sample, 80, 1));
  CHECK_THAT(points[1].before.megabits_per_second(), WithinRel(565.0, 0.02));
}

TEST_CASE("a dip and its recovery are two steps") {
  const auto series =
      series_of(joined(joined(noise(40, 900, 20, 1), noise(30, 200, 20, 2)), noise(40, 900, 20, 3)));
  const auto points = change_points(series);
  REQUIRE(points.size() == 2);
  CHECK(near(points[0].sample, 40, 1));
  CHECK(near(points[1].sample, 70, 1));
}

TEST_CASE("noise has no steps") {
  const double sigma = GENERATE(30.0, 150.0, 300.0);
  unsigned false_alarms = 0;
  for (unsigned seed = 1; seed <= 500; ++seed)
    if (!change_points(series_of(noise(80, 900, sigma, seed))).empty()) ++false_alarms;
  INFO("sigma " << sigma << ": " << false_alarms << " of 500");
  CHECK(false_alarms <= 10);
}

TEST_CASE("noise with memory seldom has steps") {
  const double sigma = GENERATE(60.0, 150.0);
  unsigned false_alarms = 0;
  for (unsigned seed = 1; seed <= 300; ++seed)
    if (!change_points(series_of(correlated_noise(100, 900, sigma, 0.5, seed))).empty()) ++false_alarms;
  INFO("sigma " << sigma << ": " << false_alarms << " of 300");
  CHECK(false_alarms <= 9);
}

TEST_CASE("spikes don't make a step") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::vector<double> rates = noise(60, 900, 20, seed);
    rates[20] = 5000;
    rates[21] = 4000;
    rates[45] = 0;
    CHECK(change_points(series_of(rates)).empty());
  }
}

TEST_CASE("bursts with silence between are no steps") {
  std::vector<double> rates;
  for (int i = 0; i < 60; ++i) rates.push_back(i % 3 == 0 ? 900 : 0);
  CHECK(change_points(series_of(rates)).empty());
}

TEST_CASE("a step smaller than asked for is left out") {
  const auto series = series_of(joined(noise(50, 900, 5, 1), noise(50, 800, 5, 2)));
  CHECK(change_points(series).empty());
  CHECK(change_points(series, {.smallest_step = 0.05}).size() == 1);
}

TEST_CASE("short and constant series have no steps") {
  CHECK(change_points({}).empty());
  CHECK(change_points(series_of(joined(constant(4, 900), constant(5, 100)))).empty());
  CHECK(change_points(series_of(constant(100, 900))).empty());
  CHECK(change_points(series_of(constant(100, 0))).empty());
}

TEST_CASE("a very long series is searched at a coarser grain") {
  const auto series = series_of(joined(noise(3000, 900, 60, 1), noise(3000, 300, 60, 2)));
  const auto points = change_points(series);
  REQUIRE(points.size() == 1);
  CHECK(near(points[0].sample, 3000, 4));
}

TEST_CASE("the same series always gives the same answer") {
  const auto series = series_of(joined(noise(50, 900, 100, 1), noise(50, 600, 100, 2)));
  CHECK(change_points(series) == change_points(series));
}
