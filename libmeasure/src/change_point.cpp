#include <measure/change_point.hpp>
#include <measure/summary.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <span>

namespace nasdiag::measure {

namespace {

constexpr int kShuffles = 200;
constexpr int kShufflesAllowed = 1;  // of kShuffles as good as the found split: p < 0.01
constexpr std::size_t kMostSamples = 2000;

struct Split {
  std::size_t at = 0;
  double gain = 0;  // reduction of the sum of squares
};

Split best_split(std::span<const double> values, std::size_t shortest) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const auto n = static_cast<double>(values.size());
  Split best;
  double left = 0;
  for (std::size_t i = 1; i + shortest <= values.size(); ++i) {
    left += values[i - 1];
    if (i < shortest) continue;
    const auto k = static_cast<double>(i);
    const double difference = left / k - (sum - left) / (n - k);
    const double gain = difference * difference * k * (n - k) / n;
    if (gain > best.gain) best = {i, gain};
  }
  return best;
}

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

bool beats_shuffles(std::vector<double> ranks, double gain, std::size_t shortest) {
  std::mt19937 generator(20240601);  // NOLINT(cert-msc32-c,cert-msc51-cpp): repeatable on purpose
  int as_good = 0;
  for (int i = 0; i < kShuffles && as_good <= kShufflesAllowed; ++i) {
    std::shuffle(ranks.begin(), ranks.end(), generator);
    if (best_split(ranks, shortest).gain >= gain) ++as_good;
  }
  return as_good <= kShufflesAllowed;
}

bool levels_differ(std::span<const double> values, std::size_t at, double smallest_step) {
  const double before = quantile(values.first(at), 0.5);
  const double after = quantile(values.subspan(at), 0.5);
  return std::abs(before - after) >= smallest_step * std::max(before, after);
}

void find_splits(std::span<const double> values, std::size_t offset, const ChangePointOptions& options,
                 std::vector<std::size_t>& found) {
  if (values.size() < 2 * options.shortest_segment || found.size() >= options.most) return;
  const std::vector<double> ranks = ranks_of(values);
  const Split split = best_split(ranks, options.shortest_segment);
  if (split.at == 0 || !levels_differ(values, split.at, options.smallest_step)) return;
  if (!beats_shuffles(ranks, split.gain, options.shortest_segment)) return;
  found.push_back(offset + split.at);
  find_splits(values.first(split.at), offset, options, found);
  find_splits(values.subspan(split.at), offset + split.at, options, found);
}

ChangePoint describe(const SampleSeries& series, std::span<const double> rates, std::size_t begin,
                     std::size_t at, std::size_t end) {
  const auto middle = series.begin() + static_cast<std::ptrdiff_t>(at);
  return {.sample = at,
          .time = series[at].start,
          .moved_before = total(SampleSeries(series.begin(), middle)),
          .before = DataRate::bits_per_second(quantile(rates.subspan(begin, at - begin), 0.5)),
          .after = DataRate::bits_per_second(quantile(rates.subspan(at, end - at), 0.5))};
}

}  // namespace

std::vector<ChangePoint> change_points(const SampleSeries& series, const ChangePointOptions& options) {
  const std::vector<double> rates = bits_per_second(series);
  if (rates.size() > kMostSamples) {  // the search costs samples × shuffles: work on pairs of samples
    SampleSeries halves;
    for (std::size_t i = 0; i + 1 < series.size(); i += 2)
      halves.push_back({series[i].start, series[i].length + series[i + 1].length,
                        series[i].amount + series[i + 1].amount});
    std::vector<ChangePoint> points = change_points(halves, options);
    for (ChangePoint& point : points) point.sample *= 2;
    return points;
  }
  std::vector<std::size_t> found;
  find_splits(rates, 0, options, found);
  std::sort(found.begin(), found.end());
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1];
    const std::size_t end = i + 1 < found.size() ? found[i + 1] : rates.size();
    points.push_back(describe(series, rates, begin, found[i], end));
  }
  return points;
}

}  // namespace nasdiag::measure
