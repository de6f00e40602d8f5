#pragma once

// Which experiments, in which order, and how long each may take. A pure function of what was asked for.

#include <diagnose/evidence/evidence.hpp>
#include <measure/quantity.hpp>

#include <vector>

namespace nasdiag::plan {

struct Step {
  evidence::ExperimentKind kind = evidence::ExperimentKind::copy;
  measure::Direction direction = measure::Direction::write;  // of the job
  measure::Seconds time_limit{5};                            // never longer; most end earlier
  measure::ByteCount byte_limit;                             // of its file; unused by TCP steps
  bool operator==(const Step&) const = default;
};

// All experiments, whether or not their server or mount was given: the runner records those as skipped.
// The time limits add up to at most 95 % of the budget.
std::vector<Step> make_plan(const evidence::RunSettings& settings);

inline constexpr measure::Seconds kDefaultBudget{60};
inline constexpr measure::Seconds kQuickBudget{20};
inline constexpr measure::Seconds kThoroughBudget{300};

}  // namespace nasdiag::plan
