#include "diagnose/plan/plan.hpp"

#include <algorithm>

namespace nasdiag::plan {

namespace {

using evidence::ExperimentKind;
using measure::ByteCount;
using measure::Direction;
using measure::Seconds;

// Shares of the budget of one step. Files get the most: they start slowly, flush at the end and vary most.
constexpr double kTcpShare = 0.06;
constexpr double kDiskShare = 0.06;
constexpr double kMountShare = 0.10;
constexpr double kAgainShare = 0.02;
constexpr double kCopyShare = 0.16;

// As much as a 10 Gbit/s link carries in a file step, so that time ends it and not the size; a smaller budget
// gets a smaller file because what is written must be flushed too.
ByteCount file_size(Seconds budget) {
  const double seconds = std::clamp(budget.count(), 10.0, 300.0);
  return ByteCount::mebibytes(static_cast<std::int64_t>(seconds / 60.0 * 3072));
}

}  // namespace

std::vector<Step> make_plan(const evidence::RunSettings& settings) {
  const Seconds budget = settings.budget;
  const ByteCount size = file_size(budget);
  std::vector<Step> steps = {
      {ExperimentKind::tcp_one_stream, Direction::write, budget * kTcpShare, {}},
      {ExperimentKind::tcp_four_streams, Direction::write, budget * kTcpShare, {}},
      {ExperimentKind::tcp_one_stream, Direction::read, budget * kTcpShare, {}},
      {ExperimentKind::tcp_four_streams, Direction::read, budget * kTcpShare, {}},
      // The disk's file is written first (that is what the job's direction read does), then read.
      {ExperimentKind::client_disk, Direction::read, budget * kDiskShare, size},
      {ExperimentKind::client_disk, Direction::write, budget * kDiskShare, size},
      {ExperimentKind::mount_to_memory, Direction::write, budget * kMountShare, size},
      {ExperimentKind::mount_to_memory, Direction::read, budget * kMountShare, size},
      {ExperimentKind::mount_again, Direction::read, budget * kAgainShare, size},
      {ExperimentKind::copy, Direction::write, budget * kCopyShare, size},
      {ExperimentKind::copy, Direction::read, budget * kCopyShare, size},
  };
  // A shorter test would still be in slow start, and compare badly with those before.
  constexpr Seconds kShortestTcp{1};
  if (budget * kAgainShare >= kShortestTcp)
    for (const Direction direction : {Direction::write, Direction::read})
      steps.push_back({ExperimentKind::tcp_again, direction, budget * kAgainShare, {}});
  return steps;
}

}  // namespace nasdiag::plan
