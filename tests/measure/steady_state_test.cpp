#include "support/made_up_series.hpp"

#include <measure/steady_state.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

using namespace nasdiag::measure;
using namespace nasdiag::test;
using Catch::WithinRel;

namespace {

constexpr double kLevel = 900;
constexpr unsigned kSeeds = 1000;

// In how many of many series, each made from its seed, the 95 % interval holds the true level.
double coverage(const std::function<std::vector<double>(unsigned seed)>& make) {
  unsigned held = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const auto known = precision(series_of(make(seed)), 0);
    const DataRate truth = DataRate::megabits_per_second(kLevel);
    if (known && known->low() <= truth && truth <= known->high()) ++held;
  }
  return held / static_cast<double>(kSeeds);
}

std::vector<double> slow_start(std::size_t count) {
  std::vector<double> rates;
  for (double rate = kLevel / 16; rates.size() < count; rate *= 1.5)
    rates.push_back(std::min(rate, kLevel * 0.9));
  return rates;
}

}  // namespace

TEST_CASE("the 95 % interval of independent noise holds the truth 95 times in 100") {
  const std::size_t count = GENERATE(std::size_t{10}, std::size_t{20}, std::size_t{60}, std::size_t{200});
  const double held = coverage([&](unsigned seed) { return noise(count, kLevel, 60, seed); });
  INFO(count << " samples: " << held);
  CHECK(held >= 0.93);
  CHECK(held <= 0.975);
}

TEST_CASE("correlated noise makes the interval wider, not wrong") {
  const double memory = GENERATE(0.3, 0.5, 0.7);
  const std::size_t count = GENERATE(std::size_t{30}, std::size_t{60}, std::size_t{100}, std::size_t{200});
  const double held =
      coverage([&](unsigned seed) { return correlated_noise(count, kLevel, 60, memory, seed); });
  INFO("memory " << memory << ", " << count << " samples: " << held);
  CHECK(held >= 0.88);
}

TEST_CASE("a rate that never changes is known exactly") {
  const auto known = precision(series_of(constant(20, kLevel)), 0);
  REQUIRE(known);
  CHECK_THAT(known->mean.megabits_per_second(), WithinRel(kLevel, 1e-6));
  CHECK(known->relative() < 1e-6);
  CHECK(known->samples == 20);
}

TEST_CASE("too few samples say nothing") {
  CHECK_FALSE(precision(series_of(constant(9, kLevel)), 0));
  CHECK_FALSE(precision(series_of(constant(20, kLevel)), 11));
  CHECK_FALSE(precision({}, 0));
  CHECK(warm_up_end(series_of(constant(9, kLevel))) == 0);
  CHECK_FALSE(known_well_enough({}));
}

TEST_CASE("a run of silence is no known rate") { CHECK_FALSE(known_well_enough(series_of(constant(50, 0)))); }

TEST_CASE("slow start is cut off, and not much more") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto series = series_of(joined(slow_start(10), noise(50, kLevel, 20, seed)));
    INFO("seed " << seed);
    CHECK(warm_up_end(series) >= 5);  // the rest of the start is within 10 % of the level
    CHECK(warm_up_end(series) <= 30);
  }
}

TEST_CASE("a run without warm-up keeps most of its samples") {
  unsigned kept = 0;
  for (unsigned seed = 1; seed <= 200; ++seed)
    if (warm_up_end(series_of(noise(100, kLevel, 30, seed))) <= 25) ++kept;
  CHECK(kept >= 150);
}

TEST_CASE("the mean of a run with slow start is that of its steady part") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto series = series_of(joined(slow_start(8), noise(60, kLevel, 20, seed)));
    const auto known = precision(series, warm_up_end(series));
    REQUIRE(known);
    CHECK_THAT(known->mean.megabits_per_second(), WithinRel(kLevel, 0.02));
  }
}

TEST_CASE("a rate that keeps rising is not known well enough") {
  std::vector<double> ramp;
  for (int i = 0; i < 100; ++i) ramp.push_back(100 + 8.0 * i);
  CHECK_FALSE(known_well_enough(series_of(ramp)));
}

TEST_CASE("measuring stops when the rate is known to 3 %, and not before a second has counted") {
  CHECK(known_well_enough(series_of(noise(40, kLevel, 20, 1))));
  CHECK_FALSE(known_well_enough(series_of(noise(40, kLevel, 400, 1))));

  SampleSeries short_run = series_of(constant(20, kLevel));
  for (std::size_t i = 0; i < short_run.size(); ++i) {
    short_run[i].start = Seconds(0.01 * static_cast<double>(i));
    short_run[i].length = Seconds(0.01);
  }
  CHECK_FALSE(known_well_enough(short_run));
  CHECK(known_well_enough(short_run, {.relative_half_width = 0.03, .shortest = Seconds(0.05)}));
}

TEST_CASE("stopping as soon as it seems known still holds the truth nearly always") {
  // Looking again after every sample stops at lucky moments; the figure must be good for all that.
  unsigned good = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const auto whole = series_of(correlated_noise(300, kLevel, 80, 0.3, seed));
    for (std::size_t n = 10; n <= whole.size(); ++n) {
      const SampleSeries so_far(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      const auto known = known_well_enough(so_far);
      if (!known && n < whole.size()) continue;
      const auto figure = known ? known : precision(so_far, warm_up_end(so_far));
      if (std::abs(figure->mean.megabits_per_second() - kLevel) <= 0.05 * kLevel) ++good;
      break;
    }
  }
  INFO(good << " of 300 within 5 %");
  CHECK(good >= 285);
}
