#pragma once

// Before against after. The two were never measured side by side, so what else changed between them is half
// of the explanation and comes first.

#include <diagnose/report/report.hpp>
#include <diagnose/report/text_layout.hpp>

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::report {

struct RowChange {
  Row row = Row::copy;
  measure::Direction direction = measure::Direction::write;
  std::optional<verdict::Figure> before;
  std::optional<verdict::Figure> after;
  std::optional<double> change;  // 0.25: a quarter faster; only if both were measured
  bool seen = false;             // the intervals don't overlap and the change is at least 3 %
  bool operator==(const RowChange&) const = default;
};

struct Comparison {
  std::vector<RowChange> rows;
  std::vector<std::string> also_changed;  // "kernel: 6.1.0-18 → 6.1.0-22"
  bool operator==(const Comparison&) const = default;
};

Comparison compare(const Report& before, const Report& after);

// Is any job (the copy, or the mount where no copy was measured) slower by more than this share?
bool slower_by(const Comparison& comparison, double share);

std::string comparison_text(const Comparison& comparison, const Report& before, const Report& after,
                            const TextStyle& style);
boost::json::object to_json(const Comparison& comparison, const Report& before, const Report& after);

}  // namespace nasdiag::report
