#include <measure/steady_state.hpp>
#include <measure/summary.hpp>

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace nasdiag::measure {

namespace {

constexpr std::size_t kFewestSamples = 10;
constexpr std::size_t kMostBatches = 30;
constexpr double kStrongestCorrelation = 0.95;
constexpr std::size_t kMserBatch = 5;

// Means of neighbouring values, `size` at a time; what doesn't fill a batch is left out at the old end.
std::vector<double> batch_means(std::span<const double> values, std::size_t size) {
  const std::size_t batches = values.size() / size;
  const std::size_t skipped = values.size() % size;
  std::vector<double> means(batches, 0.0);
  for (std::size_t i = 0; i < size * batches; ++i)
    means[i / size] += values[skipped + i] / static_cast<double>(size);
  return means;
}

// Lag-1 correlation, corrected for the bias it has in a short series (Kendall 1954): the usual estimate is
// too small by (1 + 3r) / n. Not below 0: alternating noise makes no interval narrower.
double lag_one_correlation(std::span<const double> values, double mean) {
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double deviation = values[i] - mean;
    squares += deviation * deviation;
    if (i > 0) products += deviation * (values[i - 1] - mean);
  }
  if (squares <= 0) return 0;
  const double r = products / squares;
  const double corrected = r + (1 + 3 * r) / static_cast<double>(values.size());
  return std::clamp(corrected, 0.0, kStrongestCorrelation);
}

// Half of the 95 % interval of the mean of values of which each remembers the one before.
double half_width_of_mean(std::span<const double> values) {
  const Summary summary = summarize(values);
  const double r = lag_one_correlation(values, summary.mean);
  const double independent = static_cast<double>(values.size()) * (1 - r) / (1 + r);
  const double degrees_of_freedom = std::max(1.0, independent - 1);
  const double t = boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
  return t * summary.standard_deviation / std::sqrt(independent);
}

}  // namespace

std::size_t warm_up_end(const SampleSeries& series) {
  if (series.size() < kFewestSamples) return 0;
  const std::vector<double> rates = bits_per_second(series);
  const std::vector<double> means = batch_means(rates, kMserBatch);
  const std::size_t skipped = rates.size() % kMserBatch;

  // From the back, running sums of the tail.
  double sum = 0;
  double squares = 0;
  double best = HUGE_VAL;
  std::size_t best_batch = 0;
  for (std::size_t i = means.size(); i-- > 0;) {
    sum += means[i];
    squares += means[i] * means[i];
    const auto n = static_cast<double>(means.size() - i);
    if (i > means.size() / 2) continue;  // at least half must remain
    const double variance = std::max(0.0, squares / n - (sum / n) * (sum / n));
    const double score = variance / n;
    if (score <= best) {
      best = score;
      best_batch = i;
    }
  }
  return best_batch == 0 ? 0 : skipped + best_batch * kMserBatch;
}

std::optional<Precision> precision(const SampleSeries& series, std::size_t first) {
  if (series.size() < first + kFewestSamples) return std::nullopt;
  const std::vector<double> rates = bits_per_second(series);
  const std::span<const double> window = std::span(rates).subspan(first);
  const std::size_t batch = (window.size() + kMostBatches - 1) / kMostBatches;
  return Precision{.mean = DataRate::bits_per_second(summarize(window).mean),
                   .half_width = DataRate::bits_per_second(half_width_of_mean(batch_means(window, batch))),
                   .first_sample = first,
                   .samples = window.size()};
}

std::optional<Precision> known_well_enough(const SampleSeries& series, const StopRule& rule) {
  const std::size_t first = warm_up_end(series);
  const auto meets_rule = [&](const std::optional<Precision>& known) {
    return known && known->relative() <= rule.relative_half_width;
  };
  const auto known = precision(series, first);
  if (!meets_rule(known)) return std::nullopt;
  const auto newest_quarter = static_cast<std::ptrdiff_t>(known->samples / 4);
  if (!meets_rule(precision(SampleSeries(series.begin(), series.end() - newest_quarter), first)))
    return std::nullopt;
  const Seconds window = series.back().start + series.back().length - series[first].start;
  return window >= rule.shortest ? known : std::nullopt;
}

}  // namespace nasdiag::measure
