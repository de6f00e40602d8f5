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
constexpr std::size_t kFewestRuns = 12;  // to shuffle

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

double median_square_step(std::span<const double> values, std::size_t lag) {
  std::vector<double> squares;
  for (std::size_t i = lag; i < values.size(); ++i)
    squares.push_back((values[i] - values[i - lag]) * (values[i] - values[i - lag]));
  return quantile(squares, 0.5);
}

// How many neighbouring samples belong together: one for independent noise. In noise whose correlation decays
// as r, r², …, differences at lag 2 are 1 + r times as large (squared) as those at lag 1; their medians
// hardly notice a step.
std::size_t correlated_run(std::span<const double> values) {
  const double at_one = median_square_step(values, 1);
  if (at_one <= 0) return 1;
  const double r = std::clamp(median_square_step(values, 2) / at_one - 1, 0.0, 0.9);
  const auto run = static_cast<std::size_t>(std::lround((1 + r) / (1 - r)));
  return std::clamp<std::size_t>(run, 1, std::max<std::size_t>(1, values.size() / kFewestRuns));
}

// The values with their runs of `length` in another order.
std::vector<double> shuffled(std::span<const double> values, std::size_t length, std::mt19937& generator) {
  std::vector<std::size_t> starts;
  for (std::size_t start = 0; start < values.size(); start += length) starts.push_back(start);
  std::shuffle(starts.begin(), starts.end(), generator);
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::size_t start : starts) {
    const std::span<const double> run = values.subspan(start, std::min(length, values.size() - start));
    result.insert(result.end(), run.begin(), run.end());
  }
  return result;
}

bool beats_shuffles(std::span<const double> ranks, const Split& split, std::size_t shortest,
                    std::size_t run) {
  std::mt19937 generator(20240601);  // NOLINT(cert-msc32-c,cert-msc51-cpp): repeatable on purpose
  int as_good = 0;
  for (int i = 0; i < kShuffles && as_good <= kShufflesAllowed; ++i)
    if (best_split(shuffled(ranks, run, generator), shortest).gain >= split.gain) ++as_good;
  return as_good <= kShufflesAllowed;
}

void find_splits(std::span<const double> values, std::size_t offset, std::size_t shortest,
                 std::vector<std::size_t>& found) {
  if (values.size() < 2 * shortest) return;
  const std::vector<double> ranks = ranks_of(values);
  const Split split = best_split(ranks, shortest);
  if (split.at == 0 || !beats_shuffles(ranks, split, shortest, correlated_run(values))) return;
  find_splits(values.first(split.at), offset, shortest, found);
  found.push_back(offset + split.at);
  find_splits(values.subspan(split.at), offset + split.at, shortest, found);
}

// A split found while its neighbours were not yet known moves to its best place between them.
void refine(std::span<const double> values, std::size_t shortest, std::vector<std::size_t>& splits) {
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : splits[i - 1];
    const std::size_t end = i + 1 < splits.size() ? splits[i + 1] : values.size();
    const std::span<const double> around = values.subspan(begin, end - begin);
    if (const Split split = best_split(ranks_of(around), shortest); split.at != 0)
      splits[i] = begin + split.at;
  }
}

// The medians of the segments that the splits make.
std::vector<double> levels_between(std::span<const double> values, const std::vector<std::size_t>& splits) {
  std::vector<double> levels;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= splits.size(); ++i) {
    const std::size_t end = i < splits.size() ? splits[i] : values.size();
    levels.push_back(quantile(values.subspan(begin, end - begin), 0.5));
    begin = end;
  }
  return levels;
}

double relative_step(double before, double after) {
  const double larger = std::max(before, after);
  return larger > 0 ? std::abs(before - after) / larger : 0;
}

// Drops the smallest step, again and again, until those left are large enough and few enough.
void drop_small_steps(std::span<const double> values, const ChangePointOptions& options,
                      std::vector<std::size_t>& splits) {
  while (!splits.empty()) {
    const std::vector<double> levels = levels_between(values, splits);
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < splits.size(); ++i)
      if (relative_step(levels[i], levels[i + 1]) < relative_step(levels[smallest], levels[smallest + 1]))
        smallest = i;
    if (relative_step(levels[smallest], levels[smallest + 1]) >= options.smallest_step &&
        splits.size() <= options.most)
      return;
    splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(smallest));
  }
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

// Pairs of neighbouring samples as one.
SampleSeries half_as_many(const SampleSeries& series) {
  SampleSeries pairs;
  for (std::size_t i = 0; i + 1 < series.size(); i += 2)
    pairs.push_back({.start = series[i].start,
                     .length = series[i].length + series[i + 1].length,
                     .amount = series[i].amount + series[i + 1].amount});
  return pairs;
}

}  // namespace

std::vector<ChangePoint> change_points(const SampleSeries& series, const ChangePointOptions& options) {
  if (series.size() > kMostSamples) {  // the search costs samples × shuffles
    std::vector<ChangePoint> points = change_points(half_as_many(series), options);
    for (ChangePoint& point : points) point.sample *= 2;
    return points;
  }
  const std::vector<double> rates = bits_per_second(series);
  std::vector<std::size_t> splits;
  find_splits(rates, 0, options.shortest_segment, splits);
  drop_small_steps(rates, options, splits);
  refine(rates, options.shortest_segment, splits);
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : splits[i - 1];
    const std::size_t end = i + 1 < splits.size() ? splits[i + 1] : rates.size();
    points.push_back(describe(series, rates, begin, splits[i], end));
  }
  return points;
}

}  // namespace nasdiag::measure
