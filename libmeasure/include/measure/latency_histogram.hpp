#pragma once

// Log-linear histogram of latencies, the scheme of fio's stat.h: every power of two is divided into 64
// equal buckets, so a value is known to within 1/64 = 1.6 % (mid-bucket: 0.8 %). Values from 1 ns to about
// 2^40 ns (18 minutes) in 2,240 buckets = 18 KiB; larger ones count in the last bucket. Merging is addition.
// Not synchronised: one writer, merge at the end.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace nasdiag::measure {

class LatencyHistogram {
 public:
  using Nanoseconds = std::chrono::nanoseconds;
  struct Bucket {
    Nanoseconds value;  // middle of the bucket
    std::uint64_t count = 0;
    bool operator==(const Bucket&) const = default;
  };

  void add(Nanoseconds latency) {
    const auto ns = latency.count() < 0 ? 0 : static_cast<std::uint64_t>(latency.count());
    ++buckets_[index_of(ns)];
    ++count_;
    sum_ += ns;
    if (ns < min_) min_ = ns;
    if (ns > max_) max_ = ns;
  }
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  // Exact, not bucketed. Empty histogram: no value.
  std::optional<Nanoseconds> min() const;
  std::optional<Nanoseconds> max() const;
  std::optional<Nanoseconds> mean() const;
  // The smallest bucket such that at least q (0 to 1) of the values are in it or below; never outside [min,
  // max].
  std::optional<Nanoseconds> quantile(double q) const;
  std::vector<Bucket> non_empty_buckets() const;
  // Rebuilds a saved histogram; min, max and sum become those of the buckets.
  static LatencyHistogram from_buckets(const std::vector<Bucket>& buckets);

  bool operator==(const LatencyHistogram&) const = default;

 private:
  static constexpr unsigned kSubBits = 6;  // 64 sub-buckets
  static constexpr unsigned kMaxBits = 40;
  static constexpr std::size_t kBuckets = (kMaxBits - kSubBits + 1) << kSubBits;

  static constexpr std::size_t index_of(std::uint64_t ns) {
    if (ns < (1U << kSubBits)) return static_cast<std::size_t>(ns);
    const auto top = static_cast<unsigned>(63 - __builtin_clzll(ns));
    if (top >= kMaxBits) return kBuckets - 1;
    const unsigned shift = top - kSubBits;
    return (static_cast<std::size_t>(shift + 1) << kSubBits) +
           static_cast<std::size_t>((ns >> shift) - (1U << kSubBits));
  }
  static std::uint64_t middle_of(std::size_t index);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
};

}  // namespace nasdiag::measure
