#pragma once

#include <diagnose/evidence/evidence.hpp>

namespace nasdiag::verdict {

// Result of an experiment, if it carries one of that kind.
template <class Result>
const Result* result_of(const evidence::Evidence& evidence, evidence::ExperimentKind kind,
                        measure::Direction direction) {
  const evidence::Experiment* experiment = evidence.find(kind, direction);
  return experiment != nullptr ? std::get_if<Result>(&experiment->result) : nullptr;
}

}  // namespace nasdiag::verdict
