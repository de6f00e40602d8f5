#include <measure/summary.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <vector>

using namespace nasdiag::measure;
using Catch::WithinAbs;
using Catch::WithinRel;

TEST_CASE("a summary has the known figures of a known set") {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const Summary summary = summarize(values);
  CHECK(summary.count == 8);
  CHECK(summary.min == 2);
  CHECK(summary.max == 9);
  CHECK_THAT(summary.mean, WithinRel(5.0));
  CHECK_THAT(summary.median, WithinRel(4.5));
  CHECK_THAT(summary.standard_deviation, WithinRel(2.13808993529939517, 1e-12));
  CHECK_THAT(summary.spread(), WithinRel(7 / 4.5));
}

TEST_CASE("the order of the values doesn't matter") {
  CHECK(summarize(std::vector<double>{3, 1, 2}) == summarize(std::vector<double>{1, 2, 3}));
}

TEST_CASE("no value and one value have no spread") {
  CHECK(summarize({}) == Summary{});
  const Summary one = summarize(std::array{42.0});
  CHECK(one == Summary{.count = 1, .min = 42, .median = 42, .mean = 42, .standard_deviation = 0, .max = 42});
  CHECK(one.spread() == 0);
  CHECK(summarize(std::array{0.0, 0.0}).spread() == 0);
}

TEST_CASE("the deviation survives a large common offset") {
  const Summary summary = summarize(std::array{1e15 + 1, 1e15 + 2, 1e15 + 3});
  CHECK_THAT(summary.standard_deviation, WithinAbs(1.0, 1e-9));
}

TEST_CASE("quantiles interpolate between the closest ranks") {
  const std::vector<double> values{40, 10, 30, 20};
  CHECK_THAT(quantile(values, 0), WithinRel(10.0));
  CHECK_THAT(quantile(values, 1), WithinRel(40.0));
  CHECK_THAT(quantile(values, 0.5), WithinRel(25.0));
  CHECK_THAT(quantile(values, 0.25), WithinRel(17.5));  // as R's quantile(type = 7)
  CHECK_THAT(quantile(values, 0.9), WithinRel(37.0));
}

TEST_CASE("quantiles outside 0 to 1 and of nothing are defined") {
  CHECK(quantile(std::array{1.0, 2.0}, -1) == 1);
  CHECK(quantile(std::array{1.0, 2.0}, 7) == 2);
  CHECK(quantile({}, 0.5) == 0);
}
