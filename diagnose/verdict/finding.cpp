#include "diagnose/verdict/finding.hpp"

#include <diagnose/verdict/catalogue.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <string_view>

namespace nasdiag::verdict {

namespace {

// From this strength on a cause is likely.
constexpr double kLikely = 0.6;
// A rival with this share of the leader's strength is named beside it even if the leader is likely; a leader
// that is only possible always has one.
constexpr double kCloseRival = 0.6;
// Another cause in the same layer, this close, can't be told from the leader.
constexpr double kTwin = 0.6;

// A cause, or only a layer where nothing tells the causes in it apart.
struct Suspect {
  Layer layer = Layer::mount;
  const Cause* cause = nullptr;
  Sign sign;

  Candidate candidate() const { return {layer, cause != nullptr ? std::string(cause->id) : std::string()}; }
};

bool names(const std::vector<Suspect>& suspects, Layer layer, double strength) {
  return std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& suspect) {
    return suspect.layer == layer && suspect.sign.strength >= strength;
  });
}

// Four files at once are clearly faster than one: nothing that all share is the limit, each waits for
// answers.
bool waits_for_answers(const Situation& situation) {
  constexpr double kClearlyFaster = 1.5;
  const auto& one = situation.figures.from_memory;
  const auto& four = situation.figures.in_parallel;
  return one && four && four->rate.value > one->rate.value * kClearlyFaster;
}

std::string parallel_text(const Situation& situation) {
  return "Four files at once move " + to_text(situation.figures.in_parallel->rate.value) + ", one alone " +
         to_text(situation.figures.from_memory->rate.value) +
         ": nothing that they share is full, each waits for its answers.";
}

// The layer that the figures name is a suspect even if no cause in it shows itself. Behind a mount that is
// below everything measured stand the NAS's disk or, where that is known to be faster, its processor.
void add_layers(const Situation& situation, std::vector<Suspect>& suspects) {
  const auto add = [&](Layer layer, double strength) {
    if (!names(suspects, layer, strength)) suspects.push_back({layer, nullptr, Sign{.strength = strength}});
  };
  if (!situation.below_all()) {
    add(situation.limit.layer, strength::kEven);
    return;
  }
  const bool waits = waits_for_answers(situation);
  add(Layer::mount, waits ? strength::kGood : strength::kEven);
  if (waits && suspects.back().cause == nullptr) suspects.back().sign.evidence = {parallel_text(situation)};
  const auto disk = situation.rate(Layer::nas_disk);
  const bool disk_far_above = disk && *disk > *situation.job() * 1.5;
  add(disk_far_above ? Layer::nas_cpu : Layer::nas_disk, strength::kHint);
}

std::vector<Suspect> suspects_in(const Situation& situation, const std::vector<Recognised>& recognised) {
  std::vector<Suspect> suspects;
  for (const Recognised& one : recognised)
    if (one.cause->layer) suspects.push_back({*one.cause->layer, one.cause, one.sign});
  add_layers(situation, suspects);
  std::stable_sort(suspects.begin(), suspects.end(),
                   [](const Suspect& a, const Suspect& b) { return a.sign.strength > b.sign.strength; });
  return suspects;
}

Confidence confidence_of(const Suspect& suspect) {
  if (suspect.sign.most == Confidence::certain) return Confidence::certain;
  return suspect.sign.strength >= kLikely ? suspect.sign.most : Confidence::possible;
}

// The strongest of another layer and the strongest other cause of the same one, if they come close.
std::vector<const Suspect*> rivals_of(const Suspect& leader, Confidence confidence,
                                      const std::vector<Suspect>& suspects) {
  if (confidence == Confidence::certain) return {};
  const Suspect* other_layer = nullptr;
  const Suspect* twin = nullptr;
  for (const Suspect& suspect : suspects) {
    if (&suspect == &leader) continue;
    const double share = suspect.sign.strength / leader.sign.strength;
    if (suspect.layer != leader.layer && other_layer == nullptr &&
        (confidence == Confidence::possible || share >= kCloseRival))
      other_layer = &suspect;
    if (suspect.layer == leader.layer && suspect.cause != nullptr && twin == nullptr && share >= kTwin)
      twin = &suspect;
  }
  std::vector<const Suspect*> rivals;
  for (const Suspect* rival : {other_layer, twin})
    if (rival != nullptr) rivals.push_back(rival);
  std::stable_sort(rivals.begin(), rivals.end(),
                   [](const Suspect* a, const Suspect* b) { return a->sign.strength > b->sign.strength; });
  return rivals;
}

bool is_of_nas(Layer layer) { return layer == Layer::nas_disk || layer == Layer::nas_cpu; }

// For two that no row of the catalogue tells apart.
std::string layers_told_apart_by(const Situation& situation, Layer one, Layer other) {
  const auto either = [&](Layer layer) { return one == layer || other == layer; };
  if (either(Layer::link) || either(Layer::path) || either(Layer::tcp)) {
    if (!situation.network_known())
      return "Measure the network alone: `iperf3 -s` on the NAS, `iperf3 -c NAS` here, and with -R.";
    return "Cure the connection first, then run again: a mount that is slow by itself stays slow.";
  }
  if (is_of_nas(one) || is_of_nas(other))
    return "Look at the NAS's disks and processor during a copy (its resource monitor, or `top` and `iostat "
           "-x "
           "1` over SSH): idle ones leave the mount.";
  return "Copy the same file with cp and with large requests (`dd bs=1M`), and compare.";
}

std::string settled_by(const Situation& situation, const Suspect& leader, const Suspect& rival) {
  const std::string_view observation = leader.cause != nullptr && rival.cause != nullptr
                                           ? told_apart_by(*leader.cause, *rival.cause)
                                           : std::string_view();
  return observation.empty() ? layers_told_apart_by(situation, leader.layer, rival.layer)
                             : std::string(observation);
}

std::string advice_for_layer(Layer layer) {
  switch (layer) {
    case Layer::link:
      return "Check cable, switch port and adapter: the link itself is the limit.";
    case Layer::path:
      return "Something between the two network cards is slower than they are: look at each switch and "
             "router "
             "port's speed on the way, and at the adapters.";
    case Layer::tcp:
      return "One connection is slower than the link: look for a device on the way that handles each "
             "connection "
             "by itself (router, bonded links), and at socket buffers.";
    case Layer::mount:
      return "The network and this computer's disk are faster than the file job. Look at the mount's "
             "protocol "
             "and options, and at the NAS's own disk and processor while copying.";
    default:
      return "Look at " + std::string(in_words(layer)) + " while copying.";
  }
}

std::string advice_of(const Suspect& suspect) {
  if (!suspect.sign.advice.empty()) return suspect.sign.advice;
  return suspect.cause != nullptr ? std::string(suspect.cause->advice) : advice_for_layer(suspect.layer);
}

// What is wrong with the figures themselves.
void add_artefacts(const std::vector<Recognised>& recognised, std::vector<std::string>& evidence) {
  for (const Recognised& one : recognised) {
    if (one.cause->layer || one.sign.evidence.empty()) continue;
    evidence.push_back(one.sign.evidence.front() + " (" + std::string(one.cause->id) + ": " +
                       std::string(one.cause->meaning) + ".)");
  }
}

}  // namespace

Finding find(const Situation& situation) {
  const std::vector<Recognised> recognised = recognise(situation);
  const std::vector<Suspect> suspects = suspects_in(situation, recognised);
  const Suspect& leader = suspects.front();
  Finding finding{.named = leader.candidate(),
                  .confidence = confidence_of(leader),
                  .alternatives = {},
                  .settle_by = {},
                  .evidence = leader.sign.evidence,
                  .advice = advice_of(leader)};
  const auto rivals = rivals_of(leader, finding.confidence, suspects);
  for (const Suspect* rival : rivals) finding.alternatives.push_back(rival->candidate());
  if (!rivals.empty()) finding.settle_by = settled_by(situation, leader, *rivals.front());
  add_artefacts(recognised, finding.evidence);
  return finding;
}

}  // namespace nasdiag::verdict
