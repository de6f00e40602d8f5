#include "diagnose/verdict/causes/situation.hpp"

#include <diagnose/verdict/causes/result_of.hpp>
#include <measure/summary.hpp>

#include <algorithm>
#include <array>

namespace nasdiag::verdict {

namespace {

using evidence::ExperimentKind;
using measure::DataRate;

// One stream clearly below several: what limits it belongs to the single connection.
constexpr double kClearlyBelow = 0.75;
constexpr int kUsualMtu = 1500;

const netbench::DirectionResult* flow_of(const Situation& situation, ExperimentKind kind) {
  const auto* result = result_of<netbench::TcpResult>(situation.evidence, kind, situation.figures.direction);
  return result != nullptr ? result->find(situation.figures.direction) : nullptr;
}

const measure::Note* find_note(const measure::Notes& notes, std::string_view code) {
  const auto found = std::find_if(notes.begin(), notes.end(), [&](const auto& n) { return n.code == code; });
  return found != notes.end() ? &*found : nullptr;
}

// People round: "11 MB/s" for 94 Mbit/s. Only for the slow standards, which lie far apart.
std::optional<netbench::Plateau> rounded_plateau(DataRate rate) {
  constexpr double kLowest = 0.92;
  constexpr double kHighest = 1.015;
  for (const auto& [name, megabits] :
       std::array{std::pair{"10BASE-T", 10.0}, std::pair{"100BASE-T", 100.0}}) {
    const DataRate line = DataRate::megabits_per_second(megabits);
    const DataRate payload = netbench::ethernet_payload(line, kUsualMtu);
    if (rate >= payload * kLowest && rate <= payload * kHighest)
      return netbench::Plateau{
          .name = name, .line = line, .payload = payload, .deviation = rate / payload - 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<DataRate> Situation::rate(Layer layer) const {
  if (!figures.of(layer)) return std::nullopt;
  return figures.of(layer)->rate.value;
}

std::optional<DataRate> Situation::job() const {
  if (!figures.job()) return std::nullopt;
  return figures.job()->rate.value;
}

std::optional<DataRate> Situation::best_tcp() const {
  const auto one = rate(Layer::tcp);
  const auto more = rate(Layer::path);
  if (!one) return more;
  return more ? std::max(*one, *more) : *one;
}

std::optional<double> Situation::tcp_share_of_link() const {
  const auto tcp = best_tcp();
  const auto link = rate(Layer::link);
  if (!tcp || !link) return std::nullopt;
  return *tcp / *link;
}

std::optional<double> Situation::job_against_opposite() const {
  if (!figures.job() || !opposite.job()) return std::nullopt;
  return figures.job()->rate.value / opposite.job()->rate.value;
}

const netbench::DirectionResult* Situation::one_stream() const {
  return flow_of(*this, ExperimentKind::tcp_one_stream);
}

const netbench::DirectionResult* Situation::more_streams() const {
  return flow_of(*this, ExperimentKind::tcp_four_streams);
}

netbench::Limit Situation::tcp_limit() const {
  const auto* flow = limits(Layer::path) && more_streams() != nullptr ? more_streams() : one_stream();
  return flow != nullptr ? flow->limit.limit : netbench::Limit::unknown;
}

std::optional<double> Situation::unsteadiness_of_stream() const {
  constexpr std::size_t kStart = 3;
  if (one_stream() == nullptr || one_stream()->series.size() < 2 * kStart) return std::nullopt;
  const std::vector<double> rates = measure::bits_per_second(one_stream()->series);
  return measure::summarize(std::span(rates).subspan(kStart)).variation();
}

bool Situation::loses_packets() const {
  // A policy that drops a packet now and then holds one stream at its rate, evenly, and is no loss.
  constexpr double kLeastShare = 0.003;
  constexpr double kLeastShareIfUneven = 0.0005;
  constexpr double kUneven = 0.15;
  if (tcp_limit() != netbench::Limit::congestion) return false;
  const auto* flow = limits(Layer::path) && more_streams() != nullptr ? more_streams() : one_stream();
  if (!flow->retransmits || flow->sent <= measure::ByteCount()) return true;
  constexpr double kSegment = 1448;
  const double segments = static_cast<double>(flow->sent.bytes()) / kSegment;
  const double least = unsteadiness_of_stream().value_or(0) >= kUneven ? kLeastShareIfUneven : kLeastShare;
  return static_cast<double>(*flow->retransmits) / segments >= least;
}

bool Situation::streams_share_a_limit() const {
  constexpr double kNoMore = 1.1;
  return one_stream() != nullptr && more_streams() != nullptr && rate(Layer::tcp) &&
         more_streams()->throughput <= *rate(Layer::tcp) * kNoMore;
}

bool Situation::rises_with_streams() const {
  const auto one = rate(Layer::tcp);
  const auto more = rate(Layer::path);
  return one && more && *one < *more * kClearlyBelow;
}

std::optional<measure::Seconds> Situation::round_trip() const {
  if (evidence.told.round_trip) return evidence.told.round_trip;
  const auto* run =
      result_of<netbench::TcpResult>(evidence, ExperimentKind::tcp_one_stream, figures.direction);
  if (run == nullptr) return std::nullopt;
  const auto* flow = run->find(figures.direction);
  if (flow != nullptr && flow->limit_input.rtt_unloaded) return *flow->limit_input.rtt_unloaded;
  if (run->connect_time.count() <= 0) return std::nullopt;
  return run->connect_time;
}

bool Situation::one_stream_clearly_below() const {
  const auto one = rate(Layer::tcp);
  const auto wider = rate(Layer::link) ? rate(Layer::link) : rate(Layer::path);
  return one && wider && *one < *wider * kClearlyBelow;
}

std::optional<netbench::Plateau> Situation::slower_plateau() const {
  const auto tcp = best_tcp();
  if (!tcp || rises_with_streams()) return std::nullopt;
  netbench::PlateauInput input{.throughput = *tcp, .mtu = mtu(), .version = ip_version(evidence)};
  auto plateau = netbench::recognise_plateau(input);
  input.mtu = kUsualMtu;
  if (!plateau && mtu() != kUsualMtu) plateau = netbench::recognise_plateau(input);
  if (!plateau) plateau = rounded_plateau(*tcp);
  const auto link = rate(Layer::link);
  if (plateau && link && plateau->payload >= *link * kBoundedBy) return std::nullopt;
  return plateau;
}

const evidence::RouteFacts* Situation::route() const {
  if (evidence.facts.route) return &*evidence.facts.route;
  return evidence.facts.mount_route ? &*evidence.facts.mount_route : nullptr;
}

const evidence::Nic* Situation::nic() const {
  if (route() == nullptr) return nullptr;
  const auto& stack = route()->stack;
  for (auto name = stack.rbegin(); name != stack.rend(); ++name)
    for (const evidence::Nic& nic : evidence.facts.nics)
      if (nic.name == *name) return &nic;
  return nullptr;
}

int Situation::mtu() const { return nic() != nullptr ? nic()->mtu.value_or(kUsualMtu) : kUsualMtu; }

filebench::MountKind Situation::mount_kind() const {
  return evidence.facts.mount ? evidence.facts.mount->kind : filebench::MountKind::local;
}

bool Situation::protocol_is(std::string_view begin) const {
  return evidence.facts.mount && evidence.facts.mount->protocol.starts_with(begin);
}

const measure::Note* Situation::note(std::string_view code) const {
  if (const auto* found = find_note(evidence.facts.surprises, code)) return found;
  if (evidence.facts.mount)
    if (const auto* found = find_note(evidence.facts.mount->suspicious, code)) return found;
  return find_note(evidence.notes, code);
}

const evidence::Saturation* Situation::saturation(std::string_view code) const {
  for (const ExperimentKind kind : {ExperimentKind::copy, ExperimentKind::mount_to_memory}) {
    const evidence::Experiment* experiment = evidence.find(kind, figures.direction);
    if (experiment == nullptr || !experiment->observation) continue;
    const auto& all = experiment->observation->saturations;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.code == code; });
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

const filebench::TransferResult* Situation::from_memory() const {
  return result_of<filebench::TransferResult>(evidence, ExperimentKind::mount_to_memory, figures.direction);
}

const filebench::TransferResult* Situation::copy() const {
  return result_of<filebench::TransferResult>(evidence, ExperimentKind::copy, figures.direction);
}

namespace {

bool held_back(const DirectionFigures& figures) {
  const auto& one = figures.of(Layer::tcp);
  const auto& link = figures.of(Layer::link);
  return one && link && one->rate.value < link->rate.value * kClearlyBelow;
}

}  // namespace

bool Situation::connection_held_back() const { return held_back(figures); }
bool Situation::opposite_held_back() const { return held_back(opposite); }

std::optional<Sign> full_in_network_test(const Situation& s, netbench::Limit end) {
  constexpr double kJobShare = 0.35;
  const auto* flow = s.limits(Layer::path) && s.more_streams() != nullptr ? s.more_streams() : s.one_stream();
  if (flow == nullptr || s.tcp_limit() != end) return std::nullopt;
  if (s.limits(Layer::path) || s.limits(Layer::tcp))
    return Sign{.strength = strength::kNamed, .evidence = flow->limit.evidence};
  const bool network_full = s.tcp_share_of_link().value_or(1) >= kBoundedBy;
  if (!s.below_all() || network_full || *s.job() < flow->throughput * kJobShare) return std::nullopt;
  return Sign{.strength = strength::kConnection, .evidence = flow->limit.evidence};
}

}  // namespace nasdiag::verdict
