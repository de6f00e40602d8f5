#include <measure/summary.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace nasdiag::measure {

namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

Summary summarize(std::span<const double> values) {
  Summary summary;
  if (values.empty()) return summary;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());

  summary.count = sorted.size();
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.median = quantile_of_sorted(sorted, 0.5);
  const auto n = static_cast<double>(sorted.size());
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  if (sorted.size() > 1) {
    double squares = 0;
    for (const double value : sorted) squares += (value - summary.mean) * (value - summary.mean);
    summary.standard_deviation = std::sqrt(squares / (n - 1));
  }
  return summary;
}

double quantile(std::span<const double> values, double q) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, q);
}

}  // namespace nasdiag::measure
