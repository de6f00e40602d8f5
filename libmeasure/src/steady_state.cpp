#include <measure/steady_state.hpp>
#include <measure/summary.hpp>

#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <span>
#include <vector>

namespace nasdiag::measure {

namespace {

constexpr std::size_t kFewestSamples = 10;
constexpr std::size_t kFewestBatches = 5;
constexpr std::size_t kMostBatches = 40;
constexpr double kUncorrelated = 0.2;
constexpr std::size_t kMserBatch = 5;

std::vector<double> batch_means(std::span<const double> values, std::size_t batches) {
  const std::size_t size = values.size() / batches;
  const std::size_t skipped = values.size() - size * batches;  // the oldest, so that the newest always count
  std::vector<double> means(batches, 0.0);
  for (std::size_t i = 0; i < size * batches; ++i)
    means[i / size] += values[skipped + i] / static_cast<double>(size);
  return means;
}

double lag_one_correlation(std::span<const double> values) {
  const Summary summary = summarize(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double deviation = values[i] - summary.mean;
    squares += deviation * deviation;
    if (i > 0) products += deviation * (values[i - 1] - summary.mean);
  }
  return squares > 0 ? products / squares : 0;
}

// As many batches as keep their means nearly uncorrelated.
std::vector<double> nearly_independent_means(std::span<const double> values) {
  std::size_t batches = std::min(kMostBatches, values.size());
  while (true) {
    std::vector<double> means = batch_means(values, batches);
    if (batches <= kFewestBatches || lag_one_correlation(means) < kUncorrelated) return means;
    batches = std::max(kFewestBatches, batches * 2 / 3);
  }
}

}  // namespace

std::size_t warm_up_end(const SampleSeries& series) {
  if (series.size() < kFewestSamples) return 0;
  const std::vector<double> rates = bits_per_second(series);
  const std::vector<double> means = batch_means(rates, rates.size() / kMserBatch);
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
  const std::vector<double> means = nearly_independent_means(window);
  const Summary summary = summarize(means);
  const auto n = static_cast<double>(means.size());
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  return Precision{.mean = DataRate::bits_per_second(summary.mean),
                   .half_width = DataRate::bits_per_second(t * summary.standard_deviation / std::sqrt(n)),
                   .first_sample = first,
                   .samples = window.size()};
}

std::optional<Precision> known_well_enough(const SampleSeries& series, const StopRule& rule) {
  const std::size_t first = warm_up_end(series);
  const auto known = precision(series, first);
  if (!known || known->relative() > rule.relative_half_width) return std::nullopt;
  const Seconds window = series.back().start + series.back().length - series[first].start;
  if (window < rule.shortest) return std::nullopt;
  return known;
}

}  // namespace nasdiag::measure
