#include "support/made_up_series.hpp"

#include <measure/trend.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace nasdiag::measure;
using namespace nasdiag::test;
using Catch::WithinAbs;

namespace {

std::vector<double> glide(std::size_t count, double from, double to, double sigma, unsigned seed) {
  std::vector<double> values = noise(count, 0, sigma, seed);
  for (std::size_t i = 0; i < count; ++i)
    values[i] += from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  return values;
}

}  // namespace

TEST_CASE("a rate that falls by a fifth is found, with its size") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const auto found = trend(series_of(glide(100, 1000, 800, 20, seed)));
    REQUIRE(found);
    CHECK(found->significant());
    CHECK_THAT(found->relative_change, WithinAbs(-200.0 / 900, 0.04));
  }
}

TEST_CASE("a rise has the other sign") {
  const auto found = trend(series_of(glide(60, 500, 1000, 20, 7)));
  REQUIRE(found);
  CHECK(found->significant());
  CHECK(found->relative_change > 0.5);
}

TEST_CASE("noise is no trend") {
  unsigned false_alarms = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed)
    if (trend(series_of(noise(80, 900, 90, seed)))->significant()) ++false_alarms;
  CHECK(false_alarms <= 15);
}

TEST_CASE("noise with memory is rarely a trend") {
  unsigned false_alarms = 0;
  for (unsigned seed = 1; seed <= 500; ++seed)
    if (trend(series_of(correlated_noise(200, 900, 60, 0.5, seed)))->significant()) ++false_alarms;
  CHECK(false_alarms <= 15);
}

TEST_CASE("a few spikes are no trend") {
  std::vector<double> rates = noise(60, 900, 10, 3);
  rates[57] = rates[58] = rates[59] = 100;
  CHECK_FALSE(trend(series_of(rates))->significant());
}

TEST_CASE("a constant rate, silence and too few samples have no trend") {
  const auto flat = trend(series_of(constant(20, 900)));
  REQUIRE(flat);
  CHECK(flat->p_value == 1);
  CHECK_THAT(flat->relative_change, WithinAbs(0.0, 1e-9));
  CHECK_FALSE(trend(series_of(constant(20, 0))));
  CHECK_FALSE(trend(series_of(constant(9, 900))));
}

TEST_CASE("a small drift is not called significant") {
  CHECK_FALSE(trend(series_of(glide(100, 1000, 980, 1, 5)))->significant());
}
