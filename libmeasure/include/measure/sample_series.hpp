#pragma once

// Bytes over time: what was counted in each interval of a run, oldest first. The raw material of every
// throughput; nothing here is averaged away.

#include <measure/quantity.hpp>

#include <vector>

namespace nasdiag::measure {

struct RateSample {
  Seconds start{0};  // since the start of the run
  Seconds length{0};
  ByteCount amount;

  DataRate rate() const { return amount / length; }
  bool operator==(const RateSample&) const = default;
};

using SampleSeries = std::vector<RateSample>;

inline ByteCount total(const SampleSeries& series) {
  ByteCount sum;
  for (const RateSample& sample : series) sum += sample.amount;
  return sum;
}

inline Seconds duration(const SampleSeries& series) {
  return series.empty() ? Seconds(0) : series.back().start + series.back().length - series.front().start;
}

inline DataRate mean_rate(const SampleSeries& series) { return total(series) / duration(series); }

inline std::vector<double> bits_per_second(const SampleSeries& series) {
  std::vector<double> rates;
  rates.reserve(series.size());
  for (const RateSample& sample : series) rates.push_back(sample.rate().bits_per_second());
  return rates;
}

}  // namespace nasdiag::measure
