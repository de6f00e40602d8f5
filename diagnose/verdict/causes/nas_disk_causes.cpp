#include "diagnose/verdict/causes/situation.hpp"

#include <diagnose/verdict/causes/result_of.hpp>
#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>
#include <measure/summary.hpp>

#include <algorithm>
#include <array>
#include <cmath>

// Storage of the NAS, told by its own figure, by what happens between the last write() and the return of
// fsync, by a rate that falls after a number of bytes, and by a second read of the same bytes.

namespace nasdiag::verdict {

namespace {

using filebench::MountKind;
using filebench::TransferResult;
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
// A write cache that fills leaves a clearly lower level; a shingled disk leaves next to nothing.
constexpr double kCacheStep = 0.5;
constexpr double kShingleStep = 0.10;
// One synchronous write to a disk takes a turn of it; to flash or a battery-backed cache, less.
constexpr Seconds kSlowCommit{0.004};
// This many times the job: the disk measured by itself is no suspect for large files.
constexpr double kFarAbove = 1.5;

bool disk_known_fast(const Situation& s) {
  const auto disk = s.rate(Layer::nas_disk);
  return disk && s.job() && *disk > *s.job() * kFarAbove;
}

// What a run of this program knows about a write beyond its rate.
bool flush_known(const Situation& s) {
  return s.from_memory() != nullptr && s.from_memory()->flush_time.has_value();
}

// What the kernel's own mounts accept goes into this computer's memory first: at any rate, and the flush is
// then the way over the network.
bool memory_took_it(const Situation& s, measure::DataRate accepted) {
  if (s.mount_kind() == MountKind::nfs || s.mount_kind() == MountKind::cifs) return true;
  const auto& network = s.figures.of(Layer::link) ? s.figures.of(Layer::link) : s.figures.of(Layer::path);
  return network && accepted > network->rate.high * kAboveLink;
}

std::optional<Sign> slow_flush(const TransferResult& write, const Situation& s) {
  if (!write.flush_time || !write.accepted_rate || write.window <= Seconds(0)) return std::nullopt;
  if (memory_took_it(s, *write.accepted_rate)) return std::nullopt;
  const double share = *write.flush_time / write.window;
  if (share < kFlushShare || *write.flush_time < kLongFlush ||
      *write.accepted_rate < write.rate * kAcceptedFaster)
    return std::nullopt;
  return Sign{.strength = strength::kGood,
              .evidence = {"Writing was accepted at " + to_text(*write.accepted_rate) + ", but " +
                           std::to_string(std::lround(share * 100)) +
                           " % of the time went by waiting until the NAS had it on disk."}};
}

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
measure::SampleSeries samples_until_flush(const TransferResult& write) {
  measure::SampleSeries samples;
  for (const measure::RateSample& sample : write.samples)
    if (!write.accepted_after || sample.start + sample.length <= *write.accepted_after)
      samples.push_back(sample);
  return samples;
}

// Where the rate of a write fell for good, and not only before its end. Nothing at all is no level, but a
// wait.
std::optional<measure::ChangePoint> fall_of(const TransferResult& write, const Situation& s) {
  constexpr Seconds kLevel{1};
  constexpr double kNothing = 0.02;
  const measure::SampleSeries samples = samples_until_flush(write);
  for (const measure::ChangePoint& point : measure::change_points(samples))
    if (point.after <= point.before * kCacheStep && point.after > point.before * kNothing &&
        measure::duration(samples) - point.time >= kLevel && !memory_took_it(s, point.before))
      return point;
  return std::nullopt;
}

struct Fall {
  measure::ChangePoint point;
  bool begins_fast_again;
};

// The flush after the first write empties the NAS's memory, so that the copy begins as fast again. A cache on
// SSDs, or in a disk, stays full.
std::optional<Fall> fall_in(const Situation& s) {
  const auto* write = s.from_memory();
  const auto* copy = s.copy();
  if (!s.writes() || !s.below_all() || write == nullptr) return std::nullopt;
  if (const auto point = fall_of(*write, s)) {
    const bool again =
        copy == nullptr ? point->moved_before < kMemoryOfASmallNas
                        : rate_of_first(copy->samples, ByteCount::bytes(point->moved_before.bytes() / 2)) >=
                              point->after * kAcceptedFaster;
    return Fall{*point, again};
  }
  if (copy == nullptr || slow_flush(*write, s)) return std::nullopt;
  auto point = fall_of(*copy, s);
  if (!point) return std::nullopt;
  // The write before it went further without a fall: what filled up holds both.
  const bool both = write->amount > point->moved_before;
  const bool again = !both && point->moved_before < kMemoryOfASmallNas;
  if (both) point->moved_before += write->amount;
  return Fall{*point, again};
}

std::string fall_text(const measure::ChangePoint& point) {
  return "Writing fell from " + to_text(point.before) + " to " + to_text(point.after) + " after " +
         to_text(point.moved_before);
}

// What the copy would get if reading came out of the NAS's memory: as cp, it reads and writes in turn.
DataRate copy_out_of_memory(const DirectionFigures& figures) {
  const DataRate again = figures.again->rate.value;
  const auto& disk = figures.of(Layer::client_disk);
  return disk ? harmonic_sum({again, disk->rate.value}) : again;
}

// The same mount brings the same bytes much faster when the NAS has them in memory. One connection that
// losses or windows hold back, in whichever direction, gets another rate every time, so that proves nothing.
std::optional<Sign> faster_from_its_memory(const Situation& s) {
  const DirectionFigures& figures = s.figures;
  if (!figures.again || s.connection_held_back() || s.opposite_held_back()) return std::nullopt;
  const auto& first = figures.from_memory;
  const bool first_slower = first && figures.again->rate.value >= first->rate.value * kMemoryFaster;
  // Large pieces brought it faster than the copy's small ones do out of memory: the requests are what counts.
  const bool small_pieces_slow = first && first->rate.value > figures.again->rate.value * kMemoryFaster;
  const bool copy_slower = figures.achieved && !small_pieces_slow &&
                           copy_out_of_memory(figures) >= figures.achieved->rate.value * kMemoryFaster;
  if (!first_slower && !copy_slower) return std::nullopt;
  return Sign{
      .strength = strength::kGood,
      .evidence = {"What the NAS had just read came again at " + to_text(figures.again->rate.value) +
                   ", out of its memory, against " +
                   to_text((first_slower ? first : figures.achieved)->rate.value) + " from its disk."}};
}

// Standard deviation over mean of the rate until the flush.
double unsteadiness(const TransferResult& write) {
  const std::vector<double> rates = measure::bits_per_second(samples_until_flush(write));
  if (rates.size() < 5) return 0;
  return measure::summarize(rates).variation();
}

// A NAS whose processor is the limit closes its receive window evenly; one that waits for its disk takes data
// in bursts.
std::optional<Sign> takes_in_bursts(const Situation& s) {
  constexpr double kUneven = 0.3;
  const auto* closed = s.saturation("window-closed");
  if (closed == nullptr) closed = s.saturation("receive-window");
  const auto* write = s.copy() != nullptr ? s.copy() : s.from_memory();
  if (closed == nullptr || write == nullptr || memory_took_it(s, write->rate) || s.connection_held_back() ||
      unsteadiness(*write) < kUneven)
    return std::nullopt;
  return Sign{
      .strength = strength::kGood,
      .evidence = {"The NAS took data in bursts and closed its receive window between them, as one does that "
                   "waits for its disk."}};
}

std::optional<Sign> slow_writing(const Situation& s) {
  if (const auto fall = fall_in(s)) {
    if (!fall->begins_fast_again) return std::nullopt;
    return Sign{.strength = strength::kStrong,
                .evidence = {fall_text(fall->point) +
                             ", as much as the NAS keeps in its memory: the rest goes at its disk's rate."}};
  }
  for (const TransferResult* write : {s.from_memory(), s.copy()})
    if (write != nullptr)
      if (auto sign = slow_flush(*write, s)) return sign;
  return takes_in_bursts(s);
}

std::optional<Sign> slow_hdd(const Situation& s) {
  if (s.limits(Layer::nas_disk)) return Sign{.strength = strength::kStrong};
  if (!s.below_all()) return std::nullopt;
  if (auto sign = s.writes() ? slow_writing(s) : faster_from_its_memory(s)) return sign;
  // A read whose source nobody looked at.
  if (s.writes() || s.figures.again || s.rate(Layer::nas_disk)) return std::nullopt;
  return Sign{.strength = strength::kWeak};
}

std::optional<Sign> write_cache_exhausted(const Situation& s) {
  if (!s.below_all()) return std::nullopt;
  if (const auto fall = fall_in(s)) {
    if (fall->begins_fast_again) return std::nullopt;
    return Sign{.strength = strength::kStrong,
                .evidence = {fall_text(fall->point) + ": a write cache on the NAS was full."}};
  }
  // A NAS that takes large files at a part of what its disks and the network do: its memory, then its
  // flushing.
  const auto lowest = s.limit.lowest ? s.rate(*s.limit.lowest) : std::nullopt;
  if (!s.writes() || flush_known(s) || !lowest || s.mount_kind() != MountKind::cifs) return std::nullopt;
  if (*s.job() < *lowest * 0.4) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> smr(const Situation& s) {
  const auto fall = fall_in(s);
  if (!fall || fall->begins_fast_again || fall->point.after > fall->point.before * kShingleStep)
    return std::nullopt;
  return Sign{.strength = strength::kGood, .evidence = {fall_text(fall->point) + "."}};
}

// One synchronous small write: as told, or measured over the mount, where a round trip or two come on top.
std::optional<Seconds> commit_time(const Situation& s) {
  if (s.evidence.told.nas_commit) return s.evidence.told.nas_commit;
  const auto* measured = result_of<filebench::CommitResult>(s.evidence, evidence::ExperimentKind::commits,
                                                            measure::Direction::write);
  if (measured == nullptr || measured->commits.count == 0) return std::nullopt;
  return measured->commits.window / static_cast<double>(measured->commits.count);
}

std::optional<Sign> slow_commits(const Situation& s) {
  if (const auto commit = commit_time(s); commit && *commit >= kSlowCommit)
    return Sign{.strength = strength::kStrong,
                .evidence = {"One small synchronous write to the NAS takes " +
                             measure::duration_text(*commit) + "."}};
  constexpr double kTurnsPerSecond = 60;
  if (const auto& files = s.evidence.told.small_files; files && files->per_second() < kTurnsPerSecond)
    return Sign{.strength = strength::kGood,
                .evidence = {"Few small files a second: each waits for the NAS's disk to turn."}};
  return std::nullopt;
}

std::optional<Sign> sync_write(const Situation& s) {
  if (!s.writes() || !s.below_all()) return std::nullopt;
  // A run of this program has seen the flush of a large file: slow commits then tell of small ones only.
  if (flush_known(s) && !slow_flush(*s.from_memory(), s)) return std::nullopt;
  if (auto sign = slow_commits(s)) return sign;
  if (flush_known(s) || commit_time(s)) return std::nullopt;
  const auto balance = s.job_against_opposite();
  const bool reads_faster = balance && *balance < 0.65;
  if (s.mount_kind() == MountKind::nfs)
    return Sign{.strength = reads_faster ? strength::kGood : strength::kFair};
  if (s.mount_kind() != MountKind::cifs && s.mount_kind() != MountKind::local) return std::nullopt;
  return Sign{.strength = reads_faster ? strength::kFair : strength::kWeak};
}

std::optional<Sign> sync_mounted_medium(const Situation& s) {
  if (!s.writes() || !s.below_all() || flush_known(s) || disk_known_fast(s)) return std::nullopt;
  if (*s.job() > DataRate::megabytes_per_second(2)) return std::nullopt;
  return Sign{.strength = s.mount_kind() == MountKind::cifs ? strength::kEven : strength::kHint};
}

std::optional<Sign> fragmentation(const Situation& s) {
  if (s.writes() || s.limits_network() || s.limits(Layer::client_disk) || s.figures.again)
    return std::nullopt;
  // The disk is fast with other files.
  if (s.below_all() && disk_known_fast(s)) return Sign{.strength = strength::kWeak};
  return s.limits(Layer::nas_disk) ? std::optional(Sign{.strength = strength::kWeak}) : std::nullopt;
}

std::optional<Sign> contention(const Situation& s) {
  if (!s.limit.within_spread && !faster_from_its_memory(s)) {
    const auto& aside = s.figures.set_aside;
    const bool outrun = !s.writes() && s.below_all() &&
                        std::any_of(aside.begin(), aside.end(),
                                    [](const auto& note) { return note.code == "above-nas-disk"; });
    return outrun ? std::optional(Sign{.strength = strength::kEven}) : std::nullopt;
  }
  if (!s.below_all()) return std::nullopt;
  return Sign{.strength = strength::kWeak};
}

std::optional<Sign> weak_medium(const Situation& s) {
  if (!s.limits(Layer::nas_disk)) return std::nullopt;
  return Sign{.strength = strength::kHint};
}

constexpr const char* kIostat = "Watch the NAS's disks during a copy: `iostat -x 1`.";
constexpr const char* kCommit =
    "Measure one synchronous write on the NAS: `fio --name=c --directory=SHARE --rw=write --bs=4k --size=4M "
    "--fsync=1`: 5 "
    "ms and more is a disk that is waited for.";
constexpr const char* kLocal =
    "Measure the NAS's disk on the NAS: `fio --name=x --directory=SHARE --rw=read --bs=1M --size=8G "
    "--direct=1`.";

constexpr std::array kCauses{
    Cause{.id = "nas-disk/sync-write",
          .layer = Layer::nas_disk,
          .meaning = "each commit waits for stable storage (export sync, sync=always, no log device)",
          .seen = "writes slow and reads good, commits of 5 to 100 ms, bursts with silence between, few "
                  "small files a second",
          .against = "commits under 1 ms; most of the time goes by before the flush",
          .look_alikes = {{{"nas-disk/write-cache-exhausted", kCommit},
                           {"mount/sync-option",
                            "Look at the mount's own options: `findmnt -t nfs,nfs4,cifs`."},
                           {"nas-disk/slow-hdd", kCommit}}},
          .advice = "Give the pool a fast log device (ZFS: an SSD with power-loss protection as SLOG), or, "
                    "where losing the "
                    "last seconds is acceptable, export with `async` (NFS), `zfs set sync=disabled`, or "
                    "`strict sync = "
                    "no` (Samba).",
          .gain = "2 to 10 times; up to the disks' sequential rate",
          .recognise = sync_write},
    Cause{
        .id = "nas-disk/fragmentation",
        .layer = Layer::nas_disk,
        .meaning = "scattered files or free space",
        .seen = "some files slow and fresh copies of them fast, on the NAS too; disks busy with small reads",
        .against = "a fresh file is as slow",
        .look_alikes = {{{"nas-disk/slow-hdd",
                          "Copy the file on the NAS and read the copy: a fast one was scattered."},
                         {"mount/smb-server-read-path",
                          "Read the same file on the NAS itself: `dd if=FILE of=/dev/null "
                          "bs=1M`."}}},
        .advice = "Copy the slow files once on the NAS and delete the old ones (btrfs: `btrfs filesystem "
                  "defragment`), and "
                  "keep a fifth of the pool free.",
        .gain = "up to the disks' sequential rate",
        .recognise = fragmentation},
    Cause{
        .id = "nas-disk/slow-hdd",
        .layer = Layer::nas_disk,
        .meaning = "plain disk speed",
        .seen = "the file job equals the NAS's own rate on that folder; its disks are busy all the time; "
                "what it has in "
                "memory comes faster",
        .against = "the NAS's disks idle during the copy",
        .look_alikes = {{{"nas-disk/contention",
                          "Look for other jobs on the NAS (backup, scrub, rebuild, indexing): `iotop`."},
                         {"nas-disk/fragmentation", "Copy the file on the NAS and read the copy."},
                         {"nas-cpu/raid-parity", "Watch the NAS's cores during a copy: `mpstat -P ALL 1`."}}},
        .advice = "The NAS's disks are the limit: look at their health (SMART), at a running rebuild or "
                  "scrub and at free "
                  "space; faster disks or more of them raise the rate.",
        .gain = "in proportion to the disks",
        .recognise = slow_hdd},
    Cause{.id = "nas-disk/smr",
          .layer = Layer::nas_disk,
          .meaning = "shingled disks",
          .seen = "writing falls to a small part after some GB, rebuilds at 5 to 15 MB/s, well again after "
                  "hours of rest",
          .against = "the disk's model is not shingled",
          .look_alikes = {{{"nas-disk/write-cache-exhausted",
                            "Look the disk's model up: the maker says CMR or SMR."}}},
          .advice = "Replace shingled disks (the maker's page of the model says SMR) by CMR ones, at least "
                    "in an array.",
          .gain = "ten times in long writes",
          .recognise = smr},
    Cause{
        .id = "nas-disk/sync-mounted-medium",
        .layer = Layer::nas_disk,
        .meaning = "the NAS mounts the medium with sync",
        .seen = "writes below 2 MB/s to a USB disk or flash drive; `findmnt` on the NAS says sync",
        .against = "`findmnt` on the NAS says no sync",
        .look_alikes = {{{"nas-disk/sync-write", "Look at the medium's mount options on the NAS: `findmnt`."},
                         {"mount/small-write-size",
                          "Look at the medium's mount options on the NAS: `findmnt`."}}},
        .advice = "Take `sync` (and `flush`) out of the medium's mount options on the NAS (fstab, or the "
                  "automounter's "
                  "settings).",
        .gain = "ten times and more",
        .recognise = sync_mounted_medium},
    Cause{.id = "nas-disk/write-cache-exhausted",
          .layer = Layer::nas_disk,
          .meaning = "RAM or SSD write-back fills, then flush rate",
          .seen = "fast first seconds, a fall after a number of bytes, fast again after idling",
          .against = "the fall comes after minutes instead of bytes, or in raw TCP too",
          .look_alikes =
              {{{"link/nic-thermal", "Run `iperf3 -c NAS -t 600`: a full write cache doesn't slow it."},
                {"nas-disk/sync-write", "Copy a file smaller than the NAS's memory: fast means the cache."},
                {"nas-disk/smr", "Look the disk's model up: the maker says CMR or SMR."}}},
          .advice = "Long copies go at the lower rate: faster disks in the NAS, or a larger write cache "
                    "(memory, SSD), raise it.",
          .gain = "the rate of the first seconds, for as long as the cache lasts",
          .recognise = write_cache_exhausted},
    Cause{.id = "nas-disk/contention",
          .layer = Layer::nas_disk,
          .meaning = "another job on the same disks",
          .seen = "the rate comes and goes, the NAS's disks are busy before the copy begins",
          .against = "the disks are idle when nothing is copied",
          .look_alikes = {{{"nas-disk/slow-hdd", "Look at the disks while nothing is copied: `iostat -x 1`."},
                           {"mount/smb-server-read-path", kIostat}}},
          .advice = "Find the other job (backup, scrub, rebuild, indexing, another user: `iotop` on the NAS) "
                    "and move it to "
                    "another time.",
          .gain = "up to the rate of the idle disks",
          .recognise = contention},
    Cause{.id = "nas-disk/slow-ssd",
          .layer = Layer::nas_disk,
          .meaning = "weak SSD",
          .seen = "the NAS's own rate on an SSD falls far below its data sheet once its fast cells are full",
          .against = "the pool has no SSD",
          .look_alikes = {{{"nas-disk/slow-hdd", kLocal}}},
          .advice = "Use SSDs with memory of their own and TLC cells; run `fstrim -av` on the NAS once.",
          .gain = "in proportion to the SSD",
          .recognise = weak_medium},
    Cause{.id = "nas-disk/usb-enclosure",
          .layer = Layer::nas_disk,
          .meaning = "USB bridge or its driver mode",
          .seen = "a disk behind USB far below what the same disk does on SATA; resets in dmesg",
          .against = "no disk behind USB",
          .look_alikes = {{{"nas-disk/slow-hdd",
                            "Connect the disk by SATA, or look for resets: `dmesg | grep -i usb`."}}},
          .advice = "Use a faster USB port or another enclosure; with resets in dmesg, switch UAS off for it "
                    "(usb-storage.quirks=VENDOR:PRODUCT:u).",
          .gain = "up to the disk's own rate",
          .recognise = weak_medium},
};

}  // namespace

std::span<const Cause> nas_disk_causes() { return kCauses; }

}  // namespace nasdiag::verdict
