#pragma once

// Evidence as a run would leave it, with figures of one's choice.

#include <diagnose/evidence/evidence.hpp>

#include <optional>

namespace nasdiag::test {

using measure::DataRate;
using measure::Direction;

inline DataRate mbit(double megabits) { return DataRate::megabits_per_second(megabits); }

// One direction's figures in Mbit/s; what is left out was not measured.
struct MadeUp {
  std::optional<double> link, four_streams, one_stream, client_disk, mount, copy;
};

inline evidence::Experiment tcp_experiment(evidence::ExperimentKind kind, Direction direction,
                                           double megabits) {
  netbench::TcpResult result;
  result.options.streams = kind == evidence::ExperimentKind::tcp_one_stream ? 1 : 4;
  netbench::DirectionResult flow;
  flow.direction = direction;
  flow.throughput = mbit(megabits);
  flow.retransmits = 7;
  result.directions.push_back(flow);
  result.complete = true;
  result.duration = measure::Seconds(2);
  return {.kind = kind, .direction = direction, .outcome = evidence::Outcome::ok, .result = result};
}

inline evidence::Experiment disk_experiment(Direction direction, double megabits) {
  diskbench::DiskResult result;
  diskbench::DirectionResult figures;
  figures.throughput = mbit(megabits);
  (direction == Direction::write ? result.read : result.write) = figures;
  result.options.pattern =
      direction == Direction::write ? diskbench::Pattern::read : diskbench::Pattern::write;
  return {.kind = evidence::ExperimentKind::client_disk,
          .direction = direction,
          .outcome = evidence::Outcome::ok,
          .result = result};
}

inline evidence::Experiment file_experiment(evidence::ExperimentKind kind, Direction direction,
                                            double megabits) {
  filebench::TransferResult result;
  result.direction = direction;
  result.outcome = filebench::Outcome::ok;
  result.rate = mbit(megabits);
  result.window = measure::Seconds(4);
  result.amount = result.rate * result.window;
  result.piece_size = measure::ByteCount::kibibytes(128);
  result.runs = {{result.amount, result.window, result.rate}};
  return {.kind = kind, .direction = direction, .outcome = evidence::Outcome::ok, .result = result};
}

inline void add(evidence::Evidence& evidence, Direction direction, const MadeUp& figures) {
  using evidence::ExperimentKind;
  if (figures.link) evidence.link = {.rate = mbit(*figures.link), .formula = "1000 Mbit/s × 94.15 %"};
  auto& experiments = evidence.experiments;
  if (figures.four_streams)
    experiments.push_back(tcp_experiment(ExperimentKind::tcp_four_streams, direction, *figures.four_streams));
  if (figures.one_stream)
    experiments.push_back(tcp_experiment(ExperimentKind::tcp_one_stream, direction, *figures.one_stream));
  if (figures.client_disk) experiments.push_back(disk_experiment(direction, *figures.client_disk));
  if (figures.mount)
    experiments.push_back(file_experiment(ExperimentKind::mount_to_memory, direction, *figures.mount));
  if (figures.copy) experiments.push_back(file_experiment(ExperimentKind::copy, direction, *figures.copy));
}

// The same figures in both directions.
inline evidence::Evidence made_up_evidence(const MadeUp& figures) {
  evidence::Evidence evidence;
  evidence.label = "made up";
  evidence.started_at = "2026-01-02T03:04:05Z";
  evidence.nasdiag_version = "0.0.0";
  evidence.settings = {.server = "nas", .mount_folder = "/mnt/nas", .local_folder = "/home/dan"};
  add(evidence, Direction::write, figures);
  add(evidence, Direction::read, figures);
  return evidence;
}

}  // namespace nasdiag::test
