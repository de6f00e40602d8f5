#include <measure/latency_histogram.hpp>

#include <algorithm>
#include <cmath>

namespace nasdiag::measure {

std::uint64_t LatencyHistogram::middle_of(std::size_t index) {
  if (index < (1U << kSubBits)) return index;
  const auto shift = static_cast<unsigned>((index >> kSubBits) - 1);
  const std::uint64_t low = ((index & ((1U << kSubBits) - 1)) + (1ULL << kSubBits)) << shift;
  return low + ((1ULL << shift) >> 1U);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::optional<std::chrono::nanoseconds> LatencyHistogram::min() const {
  if (count_ == 0) return std::nullopt;
  return Nanoseconds(min_);
}

std::optional<std::chrono::nanoseconds> LatencyHistogram::max() const {
  if (count_ == 0) return std::nullopt;
  return Nanoseconds(max_);
}

std::optional<std::chrono::nanoseconds> LatencyHistogram::mean() const {
  if (count_ == 0) return std::nullopt;
  return Nanoseconds(sum_ / count_);
}

std::optional<std::chrono::nanoseconds> LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const auto wanted = static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return Nanoseconds(std::clamp(middle_of(i), min_, max_));
  }
  return Nanoseconds(max_);
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::non_empty_buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < kBuckets; ++i)
    if (buckets_[i] != 0) result.push_back({Nanoseconds(middle_of(i)), buckets_[i]});
  return result;
}

LatencyHistogram LatencyHistogram::from_buckets(const std::vector<Bucket>& buckets) {
  LatencyHistogram histogram;
  for (const Bucket& bucket : buckets) {
    if (bucket.count == 0) continue;
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, bucket.value.count()));
    histogram.buckets_[index_of(ns)] += bucket.count;
    histogram.count_ += bucket.count;
    histogram.sum_ += ns * bucket.count;
    histogram.min_ = std::min(histogram.min_, ns);
    histogram.max_ = std::max(histogram.max_, ns);
  }
  return histogram;
}

}  // namespace nasdiag::measure
