#pragma once

// A handful of figures that describe a set of values. The values stay beside it in every result.

#include <cstddef>
#include <span>

namespace nasdiag::measure {

struct Summary {
  std::size_t count = 0;
  double min = 0;
  double median = 0;
  double mean = 0;
  double standard_deviation = 0;  // of the sample (n - 1); 0 for fewer than two values
  double max = 0;

  double spread() const { return median != 0 ? (max - min) / median : 0; }
  // Coefficient of variation, for values that can't be negative.
  double variation() const { return mean > 0 ? standard_deviation / mean : 0; }
  bool operator==(const Summary&) const = default;
};

// No values: all zero, count 0.
Summary summarize(std::span<const double> values);

// Linear interpolation between closest ranks (Hyndman and Fan 1996, definition 7). q from 0 to 1; no values:
// 0.
double quantile(std::span<const double> values, double q);

}  // namespace nasdiag::measure
