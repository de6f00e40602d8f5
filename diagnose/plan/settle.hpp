#pragma once

// The experiment that tells the two leading candidates of a verdict apart, for a plan that goes on where it
// was inconclusive. Pure functions.

#include <diagnose/plan/plan.hpp>
#include <diagnose/verdict/verdict.hpp>

#include <optional>

namespace nasdiag::plan {

// What separates the two best of all that can be done over the mount. Nothing: no experiment of ours does.
std::optional<evidence::ExperimentKind> experiment_between(const verdict::Candidate& one,
                                                           const verdict::Candidate& other,
                                                           measure::Direction direction);

// The next step: for a verdict of the mount the network once more, if that wasn't done; for one that names
// two, what tells them apart. Nothing if neither is needed, if it was made already, or if less time is left
// than it needs.
std::optional<Step> settling_step(const verdict::Diagnosis& diagnosis, const evidence::Evidence& evidence,
                                  measure::Seconds left);

}  // namespace nasdiag::plan
