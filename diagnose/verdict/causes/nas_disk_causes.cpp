#include "diagnose/verdict/causes/finding.hpp"

#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>

#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::ExperimentKind;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

// The NAS took the data much faster than it could put it down: most of the time went by after the last write.
constexpr double kFlushShare = 0.40;
constexpr Seconds kLongFlush{0.5};
constexpr double kAcceptedFaster = 1.5;
// Out of the NAS's memory a read is so much faster if its disk is what limits the first one.
constexpr double kMemoryFaster = 1.5;
// Less than this is rather the memory of a small NAS than a cache of its own.
constexpr ByteCount kMemoryOfASmallNas = ByteCount::mebibytes(512);
// A write cache that fills leaves a clearly lower level.
constexpr double kCacheStep = 0.5;

const filebench::TransferResult* write_of(const Evidence& evidence, ExperimentKind kind) {
  return result_of<filebench::TransferResult>(evidence, kind, measure::Direction::write);
}

constexpr const char* kSlowDiskAdvice =
    "The NAS's disks take and bring less than the network: look at other jobs on them (backup, scrub, "
    "rebuild, "
    "indexing), at their health and at free space; faster disks or more of them raise the rate.";

DataRate rate_of_first(const measure::SampleSeries& samples, ByteCount amount) {
  ByteCount moved;
  Seconds time{0};
  for (const measure::RateSample& sample : samples) {
    if (moved >= amount) break;
    moved += sample.amount;
    time += sample.length;
  }
  return time > Seconds(0) ? moved / time : DataRate();
}

// Without the flush, in which nothing more is written.
measure::SampleSeries samples_until_flush(const filebench::TransferResult& write) {
  measure::SampleSeries samples;
  for (const measure::RateSample& sample : write.samples)
    if (!write.accepted_after || sample.start + sample.length <= *write.accepted_after)
      samples.push_back(sample);
  return samples;
}

// Where the rate of a write fell for good. Above what the link carries it was this computer's memory that
// took it.
std::optional<measure::ChangePoint> fall_of(const filebench::TransferResult& write,
                                            const DirectionFigures& figures) {
  const auto& link = figures.of(Layer::link);
  for (const measure::ChangePoint& point : measure::change_points(samples_until_flush(write)))
    if (point.after <= point.before * kCacheStep && (!link || point.before <= link->rate.high * kAboveLink))
      return point;
  return std::nullopt;
}

// The flush after the first write empties the NAS's memory, so that the copy begins as fast again. A cache on
// SSDs, or in a disk, stays full.
bool begins_fast_again(const filebench::TransferResult* copy, const measure::ChangePoint& fall) {
  if (copy == nullptr) return fall.moved_before < kMemoryOfASmallNas;
  return rate_of_first(copy->samples, ByteCount::bytes(fall.moved_before.bytes() / 2)) >=
         fall.after * kAcceptedFaster;
}

std::optional<Finding> fallen_rate(const filebench::TransferResult& write,
                                   const filebench::TransferResult* copy, const DirectionFigures& figures) {
  const auto fall = fall_of(write, figures);
  if (!fall) return std::nullopt;
  const std::string fell = "Writing fell from " + to_text(fall->before) + " to " + to_text(fall->after) +
                           " after " + to_text(fall->moved_before);
  if (begins_fast_again(copy, *fall))
    return Finding{
        .layer = Layer::nas_disk,
        .cause = "nas-disk/slow-hdd",
        .confidence = Confidence::likely,
        .evidence = {fell + ", as much as the NAS keeps in its memory: the rest goes at its disk's rate."},
        .advice = kSlowDiskAdvice};
  return Finding{
      .layer = Layer::nas_disk,
      .cause = "nas-disk/write-cache-exhausted",
      .confidence = Confidence::likely,
      .evidence = {fell + ": a write cache on the NAS was full."},
      .advice =
          "Long copies go at the lower rate. Faster disks on the NAS, or a larger write cache, raise it."};
}

std::optional<Finding> slow_flush(const filebench::TransferResult& write) {
  if (!write.flush_time || !write.accepted_rate || write.window <= Seconds(0)) return std::nullopt;
  const double share = *write.flush_time / write.window;
  if (share < kFlushShare || *write.flush_time < kLongFlush ||
      *write.accepted_rate < write.rate * kAcceptedFaster)
    return std::nullopt;
  return Finding{.layer = Layer::nas_disk,
                 .cause = "nas-disk/slow-hdd",
                 .confidence = Confidence::likely,
                 .alternatives = {{Layer::mount, ""}},
                 .settle_by = "Run fio or `nasdiag disk` on the NAS itself, in the shared folder.",
                 .evidence = {"Writing was accepted at " + to_text(*write.accepted_rate) + ", but " +
                              std::to_string(std::lround(share * 100)) +
                              " % of the time went by waiting until the NAS had it on disk."},
                 .advice = kSlowDiskAdvice};
}

// What the copy would get if reading came out of the NAS's memory: as cp, it reads and writes in turn.
DataRate copy_out_of_memory(const DirectionFigures& figures) {
  const DataRate again = figures.again->rate.value;
  const auto& disk = figures.of(Layer::client_disk);
  return disk ? harmonic_sum({again, disk->rate.value}) : again;
}

// One connection that losses or windows hold back gets another rate every time.
bool connection_is_steady(const DirectionFigures& figures) {
  constexpr double kClearlyBelow = 0.75;
  const auto& one = figures.of(Layer::tcp);
  const auto& link = figures.of(Layer::link);
  return !one || !link || one->rate.value >= link->rate.value * kClearlyBelow;
}

// The same mount brings the same bytes much faster when the NAS has them in memory.
std::optional<Finding> slow_reading(const DirectionFigures& figures) {
  if (!figures.again || !connection_is_steady(figures)) return std::nullopt;
  const auto& first = figures.from_memory;
  const bool first_slower = first && figures.again->rate.value >= first->rate.value * kMemoryFaster;
  const bool copy_slower =
      figures.achieved && copy_out_of_memory(figures) >= figures.achieved->rate.value * kMemoryFaster;
  if (!first_slower && !copy_slower) return std::nullopt;
  return Finding{
      .layer = Layer::nas_disk,
      .cause = "nas-disk/slow-hdd",
      .confidence = Confidence::likely,
      .evidence = {"What the NAS had just read came again at " + to_text(figures.again->rate.value) +
                   ", out of its memory, against " +
                   to_text((first_slower ? first : figures.achieved)->rate.value) + " from its disk."},
      .advice = kSlowDiskAdvice};
}

}  // namespace

std::optional<Finding> nas_disk_finding(const Evidence& evidence, const DirectionFigures& figures,
                                        const Limit& limit) {
  if (limit.layer != Layer::mount) return std::nullopt;
  if (figures.direction == measure::Direction::read) return slow_reading(figures);
  const auto* write = write_of(evidence, ExperimentKind::mount_to_memory);
  const auto* copy = write_of(evidence, ExperimentKind::copy);
  if (write == nullptr) return std::nullopt;
  if (auto finding = fallen_rate(*write, copy, figures)) return finding;
  if (auto finding = slow_flush(*write)) return finding;
  if (copy == nullptr) return std::nullopt;
  if (auto finding = fallen_rate(*copy, nullptr, figures)) return finding;
  return slow_flush(*copy);
}

}  // namespace nasdiag::verdict
