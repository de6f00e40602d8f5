#include "diagnose/verdict/verdict.hpp"

#include <diagnose/verdict/limit.hpp>
#include <measure/quantity_text.hpp>

#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using filebench::MountKind;
using measure::DataRate;
using measure::Direction;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string name_of(Layer layer) {
  switch (layer) {
    case Layer::link:
      return "the link";
    case Layer::path:
      return "the network path (several streams)";
    case Layer::tcp:
      return "one TCP stream";
    case Layer::mount:
      return "the mount";
    case Layer::nas_disk:
      return "the NAS's disk";
    case Layer::client_disk:
      return "this computer's disk";
    case Layer::nas_cpu:
      return "the NAS's processor";
    case Layer::client_cpu:
      return "this computer's processor";
    case Layer::client_app:
      return "the copying program";
  }
  return "the link";
}

std::string what_moved(const DirectionFigures& figures) {
  if (figures.achieved)
    return figures.direction == Direction::write ? "Copying to the mount reaches "
                                                 : "Copying from the mount reaches ";
  return figures.direction == Direction::write ? "Writing to the mount from memory reaches "
                                               : "Reading from the mount into memory reaches ";
}

std::string comparison(const DirectionFigures& figures, Layer layer) {
  const Interval& capacity = figures.of(layer)->rate;
  return percent(figures.job()->rate.value / capacity.value) + " of what " + name_of(layer) +
         " carries alone (" + to_text(capacity.value) + ", " + figures.of(layer)->how + ")";
}

std::vector<std::string> evidence_for(const DirectionFigures& figures, const Limit& limit) {
  std::string sentence = what_moved(figures) + to_text(figures.job()->rate.value);
  switch (limit.rule) {
    case LimitRule::link_full:
      return {sentence + ", " + comparison(figures, Layer::link) + ": the link is full."};
    case LimitRule::capacity_reached:
      return {sentence + ", " + comparison(figures, limit.layer) + "."};
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

std::string mount_cause(const Evidence& evidence) {
  if (!evidence.facts.mount) return "";
  switch (evidence.facts.mount->kind) {
    case MountKind::gvfs:
      return "mount/gvfs-overhead";
    case MountKind::kio:
      return "mount/kio-overhead";
    case MountKind::sshfs:
    case MountKind::rclone:
    case MountKind::davfs:
    case MountKind::smbnetfs:
    case MountKind::other_fuse:
    case MountKind::layered:
      return "mount/fuse-layer";
    default:
      return "";
  }
}

std::string cause_of(const Evidence& evidence, const Limit& limit) {
  if (limit.rule == LimitRule::link_full) return "none/link-saturated";
  if (limit.layer == Layer::link) return "link/negotiated-speed";
  if (limit.layer == Layer::tcp) return "tcp/single-stream";
  if (limit.layer == Layer::mount) return mount_cause(evidence);
  return "";
}

std::string mount_advice(const Evidence& evidence) {
  if (evidence.facts.mount && evidence.facts.mount->kind == MountKind::gvfs)
    return "Mount the share with the kernel instead of the file manager: `sudo mount -t cifs //SERVER/SHARE "
           "/mnt/nas "
           "-o user=NAME,uid=$(id -u)` (or the same in /etc/fstab), and copy there.";
  if (evidence.facts.mount && evidence.facts.mount->kind == MountKind::sshfs)
    return "Mount the share by NFS or SMB instead of sshfs: no ssh encryption and no user-space file system "
           "in the way.";
  if (evidence.facts.mount && !evidence.facts.mount->suspicious.empty())
    return evidence.facts.mount->suspicious.front().text;
  return "The network and this computer's disk are faster than the file job. Look at the mount's protocol "
         "and options, "
         "and at the NAS's own disk and processor while copying.";
}

std::string advice_for(const Evidence& evidence, const Limit& limit) {
  switch (limit.layer) {
    case Layer::link:
      return limit.rule == LimitRule::link_full
                 ? "Nothing is wrong: the link is full. Only a faster link on both ends makes copies faster."
                 : "Check cable, switch port and adapter: the link itself is the limit.";
    case Layer::path:
      return "Something between the two network cards is slower than they are: look at each switch and "
             "router port's "
             "speed on the way, at Wi-Fi or VPN, and at a router between two subnets.";
    case Layer::tcp:
      return "One connection is slower than several: look for a router in between (its processor handles one "
             "flow per "
             "core), and at socket buffers and packet loss.";
    case Layer::client_disk:
      return "This computer's disk is the limit: copy to or from a faster one, or expect no more.";
    default:
      return mount_advice(evidence);
  }
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

// Certain needs a measured capacity reached and an observation that agrees; the figures alone make it likely.
Confidence confidence_of(const DirectionFigures& figures, const Limit& limit) {
  if (limit.within_spread) return Confidence::possible;
  if (limit.rule == LimitRule::link_full)
    return figures.of(Layer::tcp) || figures.of(Layer::path) ? Confidence::certain : Confidence::likely;
  if (limit.rule == LimitRule::capacity_reached) return Confidence::likely;
  return limit.lowest ? Confidence::likely : Confidence::possible;
}

std::vector<std::string> why_not_judged(const Evidence& evidence, const DirectionFigures& figures) {
  std::vector<std::string> reasons;
  for (const auto& note : figures.set_aside) reasons.push_back(note.text);
  for (const ExperimentKind kind : {ExperimentKind::copy, ExperimentKind::mount_to_memory}) {
    const Experiment* experiment = evidence.find(kind, figures.direction);
    if (experiment != nullptr && !experiment->failure.empty()) reasons.push_back(experiment->failure);
  }
  if (reasons.empty()) reasons.emplace_back("No file was moved over the mount: not measured.");
  return reasons;
}

DirectionVerdict decide(const Evidence& evidence, Direction direction) {
  DirectionVerdict verdict;
  verdict.figures = figures_of(evidence, direction);
  const auto limit = limit_of(verdict.figures);
  if (!limit) {
    verdict.evidence = why_not_judged(evidence, verdict.figures);
    return verdict;
  }
  verdict.limiting_layer = limit->layer;
  verdict.cause = cause_of(evidence, *limit);
  verdict.confidence = confidence_of(verdict.figures, *limit);
  verdict.evidence = evidence_for(verdict.figures, *limit);
  verdict.advice = {advice_for(evidence, *limit)};
  if (limit->within_spread) {
    verdict.alternatives = {{*limit->within_spread, ""}};
    verdict.settle_by =
        "The rate varied a lot during the copy: run again with --thorough while nothing else uses the NAS.";
  }
  verdict.next = next_after(verdict.figures, limit->layer);
  return verdict;
}

}  // namespace

Diagnosis decide(const Evidence& evidence) {
  return {decide(evidence, Direction::write), decide(evidence, Direction::read)};
}

}  // namespace nasdiag::verdict
