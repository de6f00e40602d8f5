#include "diagnose/plan/settle.hpp"

#include <algorithm>
#include <array>

namespace nasdiag::plan {

namespace {

using evidence::ExperimentKind;
using measure::Direction;
using measure::Seconds;
using verdict::Candidate;
using verdict::Layer;

// A row: between these two layers, in these directions, this experiment decides.
//   commits        a commit of one small write: an answer within a millisecond is no disk that is waited for
//   mount_parallel four files at once: faster together means that each waited for answers, as fast as one
//                  means something that all share
//   mount_again    once more what the NAS has in memory: faster means its disk
struct Separation {
  Layer one, other;
  bool write, read;
  ExperimentKind experiment;
};
constexpr std::array kSeparations{
    Separation{Layer::nas_disk, Layer::mount, true, false, ExperimentKind::commits},
    Separation{Layer::nas_disk, Layer::mount, false, true, ExperimentKind::mount_again},
    Separation{Layer::nas_disk, Layer::path, true, false, ExperimentKind::commits},
    Separation{Layer::nas_disk, Layer::client_app, true, false, ExperimentKind::commits},
    Separation{Layer::mount, Layer::nas_cpu, true, true, ExperimentKind::mount_parallel},
    Separation{Layer::mount, Layer::tcp, true, true, ExperimentKind::mount_parallel},
    Separation{Layer::mount, Layer::path, true, true, ExperimentKind::mount_parallel},
    Separation{Layer::mount, Layer::link, true, true, ExperimentKind::mount_parallel},
    Separation{Layer::mount, Layer::client_cpu, true, true, ExperimentKind::mount_parallel},
    Separation{Layer::mount, Layer::client_app, true, true, ExperimentKind::mount_parallel}};

bool is_about(const Separation& row, Layer one, Layer other, Direction direction) {
  const bool layers = (row.one == one && row.other == other) || (row.one == other && row.other == one);
  return layers && (direction == Direction::write ? row.write : row.read);
}

// Two causes within the NAS's disk: whether each write is waited for.
bool both_of_nas_disk(Layer one, Layer other) { return one == Layer::nas_disk && other == Layer::nas_disk; }

constexpr Seconds kCommitTime{2};
constexpr Seconds kTcpTime{1.2};
constexpr Seconds kFileTime{6};
// Connecting, flushing and cleaning up besides.
constexpr Seconds kReserve{2};

Seconds time_for(ExperimentKind kind) { return kind == ExperimentKind::commits ? kCommitTime : kFileTime; }

// Files far below a network that was measured before them: is it still that network? A long run asks in any
// case.
std::optional<Step> network_again(const verdict::Diagnosis& diagnosis, const evidence::Evidence& evidence,
                                  Seconds left) {
  constexpr Seconds kConnecting{0.5};
  for (const Direction direction : {Direction::write, Direction::read}) {
    const evidence::Experiment* before = evidence.find(ExperimentKind::tcp_one_stream, direction);
    if (diagnosis.of(direction).limiting_layer != Layer::mount || before == nullptr ||
        before->outcome != evidence::Outcome::ok ||
        evidence.find(ExperimentKind::tcp_again, direction) != nullptr)
      continue;
    if (kTcpTime + kConnecting <= left) return Step{ExperimentKind::tcp_again, direction, kTcpTime, {}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExperimentKind> experiment_between(const Candidate& one, const Candidate& other,
                                                 Direction direction) {
  if (both_of_nas_disk(one.layer, other.layer))
    return direction == Direction::write ? std::optional(ExperimentKind::commits) : std::nullopt;
  const auto row = std::find_if(kSeparations.begin(), kSeparations.end(), [&](const Separation& separation) {
    return is_about(separation, one.layer, other.layer, direction);
  });
  if (row == kSeparations.end()) return std::nullopt;
  return row->experiment;
}

std::optional<Step> settling_step(const verdict::Diagnosis& diagnosis, const evidence::Evidence& evidence,
                                  Seconds left) {
  if (auto step = network_again(diagnosis, evidence, left)) return step;
  constexpr measure::ByteCount kSize = measure::ByteCount::gibibytes(1);
  for (const Direction direction : {Direction::write, Direction::read}) {
    const verdict::DirectionVerdict& verdict = diagnosis.of(direction);
    if (!verdict.limiting_layer || verdict.alternatives.empty()) continue;
    const auto kind =
        experiment_between({*verdict.limiting_layer, verdict.cause}, verdict.alternatives.front(), direction);
    if (!kind || evidence.find(*kind, direction) != nullptr) continue;
    const Seconds needed = time_for(*kind);
    if (needed + kReserve <= left) return Step{*kind, direction, needed, kSize};
  }
  return std::nullopt;
}

}  // namespace nasdiag::plan
