#include "diagnose/verdict/verdict.hpp"

#include <diagnose/verdict/catalogue.hpp>
#include <diagnose/verdict/causes/result_of.hpp>
#include <diagnose/verdict/causes/situation.hpp>
#include <diagnose/verdict/finding.hpp>
#include <diagnose/verdict/missing.hpp>
#include <diagnose/verdict/what_if.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
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

std::vector<std::string> network_evidence(const DirectionFigures& figures) {
  std::vector<std::string> sentences;
  const auto& job = figures.of(Layer::tcp) ? figures.of(Layer::tcp) : figures.of(Layer::path);
  std::string sentence = "TCP alone reaches " + to_text(job->rate.value) + " (" + job->how + ")";
  if (figures.of(Layer::link))
    sentence += ", " + percent(job->rate.value / figures.of(Layer::link)->rate.value) +
                " of what the link carries (" + to_text(figures.of(Layer::link)->rate.value) + ")";
  sentences.push_back(sentence + "; no file job is known, so this is about the network only.");
  if (figures.of(Layer::tcp) && figures.of(Layer::path) &&
      figures.of(Layer::path)->rate.value > figures.of(Layer::tcp)->rate.value)
    sentences.push_back("Several streams reach " + to_text(figures.of(Layer::path)->rate.value) + " (" +
                        figures.of(Layer::path)->how + ").");
  return sentences;
}

std::vector<std::string> evidence_for(const DirectionFigures& figures, const Limit& limit) {
  if (limit.rule == LimitRule::network_alone) return network_evidence(figures);
  std::string sentence = what_moved(figures) + to_text(figures.job()->rate.value);
  switch (limit.rule) {
    case LimitRule::link_full:
      return {sentence + ", " + comparison(figures, Layer::link) + ": the link is full."};
    case LimitRule::capacity_reached:
      return {sentence + ", " + comparison(figures, limit.layer) + "."};
    case LimitRule::reached_until_flush: {
      const measure::DataRate moving =
          figures.while_moving ? *figures.while_moving : *figures.wire_peak;
      return {sentence + ", and " + to_text(moving) +
              (figures.while_moving ? " until the last byte was sent, " : " at its peak on the wire, ") +
              percent(moving / figures.of(limit.layer)->rate.value) + " of what " +
              std::string(in_words(limit.layer)) +
              " carries alone; then the NAS put it on disk. A longer file comes closer."};
    }
    case LimitRule::reached_from_memory:
      return {sentence + ", and without the local disk " + to_text(figures.from_memory->rate.value) + ", " +
              percent(figures.from_memory->rate.value / figures.of(limit.layer)->rate.value) + " of what " +
              std::string(in_words(limit.layer)) + " carries alone."};
    case LimitRule::stages_in_turn:
      return {sentence + ", about what reading, sending and writing one after the other gives (" +
              to_text(*rate_in_turn(figures)) + "): the stages wait for each other."};
    case LimitRule::network_alone:
      break;
    case LimitRule::below_all:
      if (!limit.lowest) return {sentence + "; no other layer could be measured to compare it with."};
      return {sentence + ", only " + comparison(figures, *limit.lowest) +
              ", the slowest layer that was measured by itself."};
  }
  return {sentence + "."};
}

// A job whose spread reaches a capacity may be limited by it, unless an observation says what limits.
void weaken(Finding& finding, Layer within_spread) {
  finding.confidence = Confidence::possible;
  if (finding.named.layer != within_spread) finding.alternatives = {{within_spread, ""}};
  finding.settle_by =
      "The rate varied a lot during the copy: run again with --thorough while nothing else uses the NAS.";
}

// Then the mount alone stands in for it, whatever stopped the copy.
void weaken_if_copy_failed(Finding& finding, const Evidence& evidence, Direction direction) {
  const Experiment* copy = evidence.find(ExperimentKind::copy, direction);
  if (copy == nullptr || copy->outcome != evidence::Outcome::failed) return;
  finding.confidence = Confidence::possible;
  finding.evidence.insert(finding.evidence.begin(), "The copy itself failed: " + copy->failure);
  finding.settle_by = "Cure what stopped the copy, then run again.";
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

// Then its failure is the answer, and not the network. A figure that was given and set aside leaves the
// others.
bool file_job_was_tried(const Evidence& evidence, Direction direction) {
  for (const ExperimentKind kind : {ExperimentKind::mount_to_memory, ExperimentKind::copy}) {
    const Experiment* experiment = evidence.find(kind, direction);
    if (experiment != nullptr && experiment->outcome != evidence::Outcome::skipped &&
        experiment->origin.empty())
      return true;
  }
  return false;
}

// Connections were made, but of the payload nothing came through: small packets pass, full ones are lost.
const measure::Note* full_frames_lost(const Evidence& evidence, Direction direction) {
  for (const ExperimentKind kind : {ExperimentKind::tcp_one_stream, ExperimentKind::tcp_four_streams}) {
    const auto* result = result_of<netbench::TcpResult>(evidence, kind, direction);
    if (result == nullptr) continue;
    for (const measure::Note& note : result->notes)
      if (note.code == "nothing-arrived") return &note;
  }
  return nullptr;
}

// No rate says so: there is none.
void blame_frame_size(DirectionVerdict& verdict, const Evidence& evidence, const measure::Note& note) {
  const auto& route = evidence.facts.mount_route ? evidence.facts.mount_route : evidence.facts.route;
  const Cause* cause = find_cause(route && route->tunnel ? "path/vpn-mtu" : "path/mtu-mismatch");
  verdict.limiting_layer = Layer::path;
  verdict.cause = cause->id;
  verdict.confidence = Confidence::likely;
  verdict.evidence = {note.text};
  verdict.advice = {std::string(cause->advice)};
}

// What no experiment measures by itself, but the file job showed: the mount's rate without a local disk, and,
// where the NAS's disk is the limit, what it delivered.
void add_what_the_job_showed(DirectionFigures& figures, Layer limiting) {
  if (!figures.of(Layer::mount)) figures.of(Layer::mount) = figures.from_memory;
  if (limiting != Layer::nas_disk || figures.of(Layer::nas_disk) || !figures.job()) return;
  figures.of(Layer::nas_disk) = figures.job();
  figures.of(Layer::nas_disk)->source = Source::derived;
  figures.of(Layer::nas_disk)->how = "over the mount, which it limits";
}

DirectionVerdict decide(const Evidence& evidence, const DirectionFigures& figures,
                        const DirectionFigures& opposite) {
  DirectionVerdict verdict;
  verdict.figures = figures;
  verdict.missing = missing_figures(figures);
  auto limit = limit_of(figures);
  if (!limit && !file_job_was_tried(evidence, figures.direction)) limit = network_limit_of(figures);
  if (!limit) {
    if (const auto* note = full_frames_lost(evidence, figures.direction)) {
      blame_frame_size(verdict, evidence, *note);
      return verdict;
    }
    verdict.evidence = why_not_judged(evidence, figures);
    return verdict;
  }
  Finding finding = find({.evidence = evidence, .figures = figures, .opposite = opposite, .limit = *limit});
  if (limit->within_spread && finding.evidence.empty()) weaken(finding, *limit->within_spread);
  weaken_if_copy_failed(finding, evidence, figures.direction);
  verdict.limiting_layer = finding.named.layer;
  verdict.cause = std::move(finding.named.cause);
  verdict.confidence = finding.confidence;
  verdict.alternatives = std::move(finding.alternatives);
  verdict.settle_by = std::move(finding.settle_by);
  verdict.evidence = evidence_for(figures, *limit);
  verdict.evidence.insert(verdict.evidence.end(), finding.evidence.begin(), finding.evidence.end());
  verdict.advice = {finding.advice};
  // A port on the way that runs slower than the link is named as link, but what it held back is the path.
  const bool of_path = finding.named.layer == Layer::link && limit->layer != Layer::link;
  const Layer fixed = of_path ? Layer::path : *verdict.limiting_layer;
  verdict.next = next_after(figures, {fixed});
  if (verdict.next) verdict.after_next = next_after(figures, {fixed, verdict.next->layer});
  add_what_the_job_showed(verdict.figures, *verdict.limiting_layer);
  return verdict;
}

}  // namespace

Diagnosis decide(const Evidence& evidence) {
  const DirectionFigures write = figures_of(evidence, Direction::write);
  const DirectionFigures read = figures_of(evidence, Direction::read);
  return {decide(evidence, write, read), decide(evidence, read, write)};
}

}  // namespace nasdiag::verdict
