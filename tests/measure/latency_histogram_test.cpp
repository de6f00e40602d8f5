#include <measure/latency_histogram.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace nasdiag::measure;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

std::vector<std::int64_t> log_normal_latencies(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::lognormal_distribution<double> distribution(std::log(80e3), 1.2);
  std::vector<std::int64_t> values(count);
  for (auto& value : values) value = static_cast<std::int64_t>(distribution(generator));
  return values;
}

LatencyHistogram histogram_of(const std::vector<std::int64_t>& values) {
  LatencyHistogram histogram;
  for (const std::int64_t value : values) histogram.add(nanoseconds(value));
  return histogram;
}

double relative_error(nanoseconds found, std::int64_t true_value) {
  return std::abs(static_cast<double>(found.count() - true_value)) / static_cast<double>(true_value);
}

}  // namespace

TEST_CASE("one value is known to within 1/64 at every magnitude") {
  for (std::int64_t power = 0; power < 40; ++power) {
    for (const std::int64_t offset : {0L, 1L, 3L, 7L}) {
      const std::int64_t value = (std::int64_t{1} << power) * (8 + offset) / 8;
      LatencyHistogram histogram;
      histogram.add(nanoseconds(value));
      const auto buckets = histogram.non_empty_buckets();
      REQUIRE(buckets.size() == 1);
      INFO(value);
      CHECK(relative_error(buckets.front().value, value) <= 1.0 / 64);
    }
  }
}

TEST_CASE("quantiles of many values are right to within 1/64") {
  std::vector<std::int64_t> values = log_normal_latencies(20'000, 1);
  const LatencyHistogram histogram = histogram_of(values);
  std::sort(values.begin(), values.end());
  for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank =
        static_cast<std::size_t>(std::max(1.0, std::ceil(q * static_cast<double>(values.size()))));
    INFO(q);
    CHECK(relative_error(*histogram.quantile(q), values[rank - 1]) <= 1.0 / 64);
  }
}

TEST_CASE("one slow request in a hundred shows in p99.5 and not in p90") {
  LatencyHistogram histogram;
  for (int i = 0; i < 990; ++i) histogram.add(100us);
  for (int i = 0; i < 10; ++i) histogram.add(50ms);
  CHECK(relative_error(*histogram.quantile(0.9), 100'000) <= 1.0 / 64);
  CHECK(relative_error(*histogram.quantile(0.995), 50'000'000) <= 1.0 / 64);
}

TEST_CASE("minimum, maximum and mean are exact") {
  LatencyHistogram histogram;
  for (const auto value : {1'000'003ns, 2'000'001ns, 5'999'999ns}) histogram.add(value);
  CHECK(histogram.count() == 3);
  CHECK(*histogram.min() == 1'000'003ns);
  CHECK(*histogram.max() == 5'999'999ns);
  CHECK(*histogram.mean() == 3'000'001ns);
  CHECK(*histogram.quantile(0) >= *histogram.min());
  CHECK(*histogram.quantile(1) <= *histogram.max());
}

TEST_CASE("an empty histogram has no figures") {
  const LatencyHistogram histogram;
  CHECK(histogram.count() == 0);
  CHECK_FALSE(histogram.min());
  CHECK_FALSE(histogram.max());
  CHECK_FALSE(histogram.mean());
  CHECK_FALSE(histogram.quantile(0.5));
  CHECK(histogram.non_empty_buckets().empty());
}

TEST_CASE("merging two histograms equals one of all values") {
  const std::vector<std::int64_t> first = log_normal_latencies(5000, 2);
  const std::vector<std::int64_t> second = log_normal_latencies(3000, 3);
  std::vector<std::int64_t> both = first;
  both.insert(both.end(), second.begin(), second.end());

  LatencyHistogram merged = histogram_of(first);
  merged.merge(histogram_of(second));
  CHECK(merged == histogram_of(both));

  merged.merge(LatencyHistogram());
  CHECK(merged == histogram_of(both));
}

TEST_CASE("a histogram rebuilt from its buckets has the same buckets and quantiles") {
  const LatencyHistogram original = histogram_of(log_normal_latencies(5000, 4));
  const LatencyHistogram rebuilt = LatencyHistogram::from_buckets(original.non_empty_buckets());
  CHECK(rebuilt.count() == original.count());
  CHECK(rebuilt.non_empty_buckets() == original.non_empty_buckets());
  for (const double q : {0.1, 0.5, 0.99}) CHECK(rebuilt.quantile(q) == original.quantile(q));
  CHECK(LatencyHistogram::from_buckets(rebuilt.non_empty_buckets()) == rebuilt);
}

TEST_CASE("values beyond either end are counted, not lost") {
  LatencyHistogram histogram;
  histogram.add(-5ns);
  histogram.add(0ns);
  histogram.add(100h);
  CHECK(histogram.count() == 3);
  CHECK(*histogram.min() == 0ns);
  CHECK(*histogram.max() == nanoseconds(100h));
  CHECK(histogram.non_empty_buckets().size() == 2);
}
