#include "diagnose/verdict/verdict.hpp"

#include <diagnose/verdict/causes/finding.hpp>
#include <diagnose/verdict/limit.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using measure::DataRate;
using measure::Direction;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string what_moved(const DirectionFigures& figures) {
  if (figures.achieved)
    return figures.direction == Direction::write ? "Copying to the mount reaches "
                                                 : "Copying from the mount reaches ";
  return figures.direction == Direction::write ? "Writing to the mount from memory reaches "
                                               : "Reading from the mount into memory reaches ";
}

std::string comparison(const DirectionFigures& figures, Layer layer) {
  const Interval& capacity = figures.of(layer)->rate;
  return percent(figures.job()->rate.value / capacity.value) + " of what " + std::string(in_words(layer)) +
         " carries alone (" + to_text(capacity.value) + ", " + figures.of(layer)->how + ")";
}

std::vector<std::string> evidence_for(const DirectionFigures& figures, const Limit& limit) {
  std::string sentence = what_moved(figures) + to_text(figures.job()->rate.value);
  switch (limit.rule) {
    case LimitRule::link_full:
      return {sentence + ", " + comparison(figures, Layer::link) + ": the link is full."};
    case LimitRule::capacity_reached:
      return {sentence + ", " + comparison(figures, limit.layer) + "."};
    case LimitRule::reached_until_flush:
      return {sentence + ", and " + to_text(*figures.while_moving) + " until the last byte was sent, " +
              percent(*figures.while_moving / figures.of(limit.layer)->rate.value) + " of what " +
              std::string(in_words(limit.layer)) +
              " carries alone; then the NAS put it on disk. A longer file comes closer."};
    case LimitRule::stages_in_turn:
      return {sentence + ", about what reading, sending and writing one after the other gives (" +
              to_text(*rate_in_turn(figures)) + "): the stages wait for each other."};
    case LimitRule::below_all:
      if (!limit.lowest) return {sentence + "; no other layer could be measured to compare it with."};
      return {sentence + ", only " + comparison(figures, *limit.lowest) +
              ", the slowest layer that was measured by itself."};
  }
  return {sentence + "."};
}

std::optional<Next> next_after(const DirectionFigures& figures, Layer removed) {
  DirectionFigures without = figures;
  without.of(removed).reset();
  // What was measured through the removed layer is unknown once it is faster.
  if (removed == Layer::link) without.of(Layer::path).reset();
  if (removed == Layer::link || removed == Layer::path) without.of(Layer::tcp).reset();
  const auto next = lowest_capacity(without);
  if (!next) return std::nullopt;
  return Next{*next, without.of(*next)->rate.value};
}

// Each family looks at what the ones before it left open.
Finding finding_for(const Evidence& evidence, const DirectionFigures& figures, const Limit& limit) {
  if (auto finding = client_finding(evidence, figures, limit)) return *finding;
  if (auto finding = network_finding(evidence, figures, limit)) return *finding;
  if (auto finding = nas_disk_finding(evidence, figures, limit)) return *finding;
  return mount_finding(evidence, figures, limit);
}

// A job whose spread reaches a capacity may be limited by it.
void weaken(Finding& finding, Layer within_spread) {
  finding.confidence = Confidence::possible;
  if (finding.layer != within_spread)
    finding.alternatives.insert(finding.alternatives.begin(), {within_spread, ""});
  finding.settle_by =
      "The rate varied a lot during the copy: run again with --thorough while nothing else uses the NAS.";
}

// What failed says more than what was not tried because of it.
std::vector<std::string> why_not_judged(const Evidence& evidence, const DirectionFigures& figures) {
  std::vector<std::string> reasons;
  const auto add = [&](const std::string& reason) {
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  };
  for (const auto& note : figures.set_aside) add(note.text);
  for (const evidence::Outcome outcome : {evidence::Outcome::failed, evidence::Outcome::skipped})
    for (const ExperimentKind kind : {ExperimentKind::mount_to_memory, ExperimentKind::copy}) {
      const Experiment* experiment = evidence.find(kind, figures.direction);
      if (experiment != nullptr && experiment->outcome == outcome) add(experiment->failure);
    }
  if (reasons.empty()) reasons.emplace_back("No file was moved over the mount: not measured.");
  return reasons;
}

// What no experiment measures by itself, but the file job showed: the mount's rate without a local disk, and,
// where the NAS's disk is the limit, what it delivered.
void add_what_the_job_showed(DirectionFigures& figures, Layer limiting) {
  if (!figures.of(Layer::mount)) figures.of(Layer::mount) = figures.from_memory;
  if (limiting != Layer::nas_disk || figures.of(Layer::nas_disk)) return;
  figures.of(Layer::nas_disk) = figures.from_memory ? figures.from_memory : figures.achieved;
  figures.of(Layer::nas_disk)->source = Source::derived;
  figures.of(Layer::nas_disk)->how = "over the mount, which it limits";
}

DirectionVerdict decide(const Evidence& evidence, Direction direction) {
  DirectionVerdict verdict;
  verdict.figures = figures_of(evidence, direction);
  const auto limit = limit_of(verdict.figures);
  if (!limit) {
    verdict.evidence = why_not_judged(evidence, verdict.figures);
    return verdict;
  }
  Finding finding = finding_for(evidence, verdict.figures, *limit);
  if (limit->within_spread) weaken(finding, *limit->within_spread);
  verdict.limiting_layer = finding.layer;
  verdict.cause = std::move(finding.cause);
  verdict.confidence = finding.confidence;
  verdict.alternatives = std::move(finding.alternatives);
  verdict.settle_by = std::move(finding.settle_by);
  verdict.evidence = evidence_for(verdict.figures, *limit);
  verdict.evidence.insert(verdict.evidence.end(), finding.evidence.begin(), finding.evidence.end());
  verdict.advice = {finding.advice};
  verdict.next = next_after(verdict.figures, finding.layer);
  add_what_the_job_showed(verdict.figures, finding.layer);
  return verdict;
}

}  // namespace

Diagnosis decide(const Evidence& evidence) {
  return {decide(evidence, Direction::write), decide(evidence, Direction::read)};
}

}  // namespace nasdiag::verdict
