#pragma once

// Rate series with known properties, for tests of the statistics.

#include <measure/sample_series.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace nasdiag::test {

// One sample of 100 ms for each rate in Mbit/s.
inline measure::SampleSeries series_of(const std::vector<double>& megabits) {
  constexpr measure::Seconds kLength{0.1};
  measure::SampleSeries series;
  for (std::size_t i = 0; i < megabits.size(); ++i)
    series.push_back({.start = kLength * static_cast<double>(i),
                      .length = kLength,
                      .amount = measure::DataRate::megabits_per_second(megabits[i]) * kLength});
  return series;
}

inline std::vector<double> constant(std::size_t count, double level) {
  return std::vector<double>(count, level);
}

// Independent normal noise of standard deviation `sigma` around `level`.
inline std::vector<double> noise(std::size_t count, double level, double sigma, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(level, sigma);
  std::vector<double> values(count);
  for (double& value : values) value = normal(generator);
  return values;
}

// First-order autoregressive noise: each deviation is `memory` times the one before plus a fresh part;
// the deviations have standard deviation `sigma`.
inline std::vector<double> correlated_noise(std::size_t count, double level, double sigma, double memory,
                                            unsigned seed) {
  std::vector<double> values = noise(count, 0, 1, seed);
  const double fresh = std::sqrt(1 - memory * memory);
  for (std::size_t i = 1; i < count; ++i) values[i] = memory * values[i - 1] + fresh * values[i];
  for (double& value : values) value = level + sigma * value;
  return values;
}

inline std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace nasdiag::test
