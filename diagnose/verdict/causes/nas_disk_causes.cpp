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

}  // namespace

std::optional<Finding> nas_disk_finding(const Evidence& evidence, const DirectionFigures& figures,
                                        const Limit& limit) {
  if (limit.layer != Layer::mount || figures.direction != measure::Direction::write) return std::nullopt;
  const filebench::TransferResult* write = write_of(evidence);
  if (write == nullptr) return std::nullopt;
  if (auto finding = cache_exhausted(*write)) return finding;
  return slow_flush(*write);
}

}  // namespace nasdiag::verdict
