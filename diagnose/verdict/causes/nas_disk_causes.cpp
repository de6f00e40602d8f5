#include "diagnose/verdict/causes/finding.hpp"

#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>

#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::ExperimentKind;
using measure::Seconds;

// The NAS took the data much faster than it could put it down: most of the time went by after the last write.
constexpr double kFlushShare = 0.40;
constexpr Seconds kLongFlush{0.5};
constexpr double kAcceptedFaster = 1.5;
// Out of the NAS's memory a read is so much faster if its disk is what limits the first one.
constexpr double kMemoryFaster = 1.5;
// A write cache that fills leaves a clearly lower level.
constexpr double kCacheStep = 0.6;

const filebench::TransferResult* write_of(const Evidence& evidence) {
  return result_of<filebench::TransferResult>(evidence, ExperimentKind::mount_to_memory,
                                              measure::Direction::write);
}

std::optional<Finding> cache_exhausted(const filebench::TransferResult& write) {
  for (const measure::ChangePoint& point : measure::change_points(write.samples)) {
    if (point.after > point.before * kCacheStep) continue;
    return Finding{
        .layer = Layer::nas_disk,
        .cause = "nas-disk/write-cache-exhausted",
        .confidence = Confidence::likely,
        .evidence = {"Writing fell from " + to_text(point.before) + " to " + to_text(point.after) +
                     " after " + to_text(point.moved_before) + ": a write cache on the NAS was full."},
        .advice =
            "Long copies go at the lower rate. Faster disks on the NAS, or a larger write cache, raise it."};
  }
  return std::nullopt;
}

std::optional<Finding> slow_flush(const filebench::TransferResult& write) {
  if (!write.flush_time || !write.accepted_rate || write.window <= Seconds(0)) return std::nullopt;
  const double share = *write.flush_time / write.window;
  if (share < kFlushShare || *write.flush_time < kLongFlush ||
      *write.accepted_rate < write.rate * kAcceptedFaster)
    return std::nullopt;
  return Finding{
      .layer = Layer::nas_disk,
      .cause = "nas-disk/slow-hdd",
      .confidence = Confidence::likely,
      .alternatives = {{Layer::mount, ""}},
      .settle_by = "Run fio or `nasdiag disk` on the NAS itself, in the shared folder.",
      .evidence = {"Writing was accepted at " + to_text(*write.accepted_rate) + ", but " +
                   std::to_string(std::lround(share * 100)) +
                   " % of the time went by waiting until the NAS had it on disk."},
      .advice =
          "The NAS's disks take less than the network brings: look at their health, at a running rebuild or "
          "scrub, and at free space; faster disks or more of them raise the rate."};
}

// The same mount brings the same bytes much faster when the NAS has them in memory.
std::optional<Finding> slow_reading(const DirectionFigures& figures) {
  if (!figures.again || !figures.from_memory) return std::nullopt;
  const measure::DataRate first = figures.from_memory->rate.value;
  if (figures.again->rate.value < first * kMemoryFaster) return std::nullopt;
  return Finding{
      .layer = Layer::nas_disk,
      .cause = "nas-disk/slow-hdd",
      .confidence = Confidence::likely,
      .evidence = {"What the NAS had just read from its disk came again at " +
                   to_text(figures.again->rate.value) + ", out of its memory, against " + to_text(first) +
                   " the first time."},
      .advice =
          "The NAS's disks bring less than the network carries: look at other jobs on them (backup, scrub, "
          "rebuild, indexing), at their health and at free space; faster disks or more of them raise the "
          "rate."};
}

}  // namespace

std::optional<Finding> nas_disk_finding(const Evidence& evidence, const DirectionFigures& figures,
                                        const Limit& limit) {
  if (limit.layer != Layer::mount) return std::nullopt;
  if (figures.direction == measure::Direction::read) return slow_reading(figures);
  const filebench::TransferResult* write = write_of(evidence);
  if (write == nullptr) return std::nullopt;
  if (auto finding = cache_exhausted(*write)) return finding;
  return slow_flush(*write);
}

}  // namespace nasdiag::verdict
