#include <measure/summary.hpp>
#include <measure/trend.hpp>

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nasdiag::measure {

namespace {

constexpr std::size_t kFewestSamples = 10;
constexpr std::size_t kMostGroups = 20;  // means of groups: less autocorrelation, bounded work

std::vector<double> group_means(const std::vector<double>& values) {
  const std::size_t groups = std::min(kMostGroups, values.size());
  std::vector<double> means;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * values.size() / groups;
    const std::size_t end = (group + 1) * values.size() / groups;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

int sign(double value) { return (value > 0) - (value < 0); }

double mann_kendall_p(const std::vector<double>& values) {
  double score = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) score += sign(values[j] - values[i]);
  const auto n = static_cast<double>(values.size());
  const double variance = n * (n - 1) * (2 * n + 5) / 18;
  if (score == 0) return 1;
  const double z = (std::abs(score) - 1) / std::sqrt(variance);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double theil_sen_slope(const std::vector<double>& values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  return quantile(slopes, 0.5);
}

}  // namespace

std::optional<Trend> trend(const SampleSeries& series) {
  if (series.size() < kFewestSamples) return std::nullopt;
  const std::vector<double> means = group_means(bits_per_second(series));
  const double median = quantile(means, 0.5);
  if (median <= 0) return std::nullopt;
  return Trend{.relative_change = theil_sen_slope(means) * static_cast<double>(means.size() - 1) / median,
               .p_value = mann_kendall_p(means)};
}

}  // namespace nasdiag::measure
