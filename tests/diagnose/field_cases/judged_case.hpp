#pragma once

// What the verdict says about a field case's evidence, against what was established.

#include "field_case.hpp"

#include <diagnose/verdict/verdict.hpp>

#include <string>
#include <vector>

namespace nasdiag::test {

struct JudgedCase {
  std::string id;
  measure::Direction direction = measure::Direction::write;
  std::string expected_layer;
  std::string expected_cause;
  std::string said_layer;  // empty: none
  std::string said_cause;
  std::string said_beside;  // what else it may be: causes, or layers where no cause is named
  verdict::Confidence confidence = verdict::Confidence::possible;
  bool has_job = false;         // a file rate was reported
  bool enough_figures = false;  // and what to compare it with
  bool layer_named = false;     // as the layer or among the alternatives
  bool cause_named = false;
  bool says_why = false;      // some sentence of evidence
  bool says_missing = false;  // a measurement that would settle it, or advice

  bool certain_and_wrong() const {
    return !said_layer.empty() && said_layer != expected_layer && confidence == verdict::Confidence::certain;
  }
};

// Each direction whose limiting layer is established and that was complained of; "nothing wrong" is a link
// that is full.
std::vector<JudgedCase> judge(const std::vector<FieldCase>& cases);

}  // namespace nasdiag::test
