#include "judged_case.hpp"

#include <algorithm>

namespace nasdiag::test {

namespace {

using measure::Direction;

std::string expected_layer(const FieldCase& field_case, Direction direction) {
  const std::string& layer = field_case.of(direction).limiting_layer;
  if (layer == "app") return "client-app";
  if (layer == "none" && field_case.true_cause == "none/link-saturated") return "link";
  return layer;
}

bool is_judged(const FieldCase& field_case, Direction direction) {
  const std::string layer = expected_layer(field_case, direction);
  if (layer == "none" || layer == "unknown" || layer.empty()) return false;
  const bool has_figures = field_case.of(direction).file_mbyte ||
                           field_case.of(direction).tcp_one_stream_mbit ||
                           field_case.of(direction).tcp_more_streams_mbit;
  return field_case.complains_of(direction) || has_figures;
}

// The established cause belongs to one direction if the layers differ.
bool is_cause_of(const FieldCase& field_case, Direction direction) {
  const std::string family = field_case.true_cause.substr(0, field_case.true_cause.find('/'));
  return family == "none" ||
         expected_layer(field_case, direction) == (family == "client-app" ? "client-app" : family);
}

std::string named_beside(const verdict::DirectionVerdict& said) {
  std::string text;
  for (const verdict::Candidate& other : said.alternatives)
    text += (text.empty() ? "" : ", ") +
            (other.cause.empty() ? std::string(to_string(other.layer)) : other.cause);
  return text;
}

JudgedCase judge(const FieldCase& field_case, Direction direction) {
  const verdict::DirectionVerdict said = verdict::decide(evidence_of(field_case)).of(direction);
  JudgedCase judged{.id = field_case.id,
                    .direction = direction,
                    .expected_layer = expected_layer(field_case, direction),
                    .expected_cause = is_cause_of(field_case, direction) ? field_case.true_cause : "",
                    .said_layer = said.limiting_layer ? std::string(to_string(*said.limiting_layer)) : "",
                    .said_cause = said.cause,
                    .said_beside = named_beside(said),
                    .confidence = said.confidence,
                    .has_job = field_case.of(direction).file_mbyte.has_value(),
                    .enough_figures = field_case.has_enough_figures(direction),
                    .says_why = !said.evidence.empty(),
                    .says_missing = said.settle_by.has_value() || !said.advice.empty()};
  const auto names_layer = [&](const verdict::Candidate& other) {
    return to_string(other.layer) == judged.expected_layer;
  };
  const auto names_cause = [&](const verdict::Candidate& other) {
    return other.cause == judged.expected_cause;
  };
  judged.layer_named = judged.said_layer == judged.expected_layer ||
                       std::any_of(said.alternatives.begin(), said.alternatives.end(), names_layer);
  judged.cause_named = !judged.expected_cause.empty() &&
                       (said.cause == judged.expected_cause ||
                        std::any_of(said.alternatives.begin(), said.alternatives.end(), names_cause));
  return judged;
}

}  // namespace

std::vector<JudgedCase> judge(const std::vector<FieldCase>& cases) {
  std::vector<JudgedCase> judged;
  for (const FieldCase& field_case : cases)
    for (const Direction direction : {Direction::write, Direction::read})
      if (is_judged(field_case, direction)) judged.push_back(judge(field_case, direction));
  return judged;
}

}  // namespace nasdiag::test
