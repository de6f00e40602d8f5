#include "write_budget.hpp"

#include "shared_progress.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace nasdiag::filebench {

namespace {

using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

constexpr std::int64_t kLookEvery = 50'000'000;  // ns
// Less drained than this says nothing about the rate.
constexpr ByteCount kTelling = ByteCount::mebibytes(8);
// Of the time, for writing through FUSE; the rest is left for the flush.
constexpr double kThroughShare = 0.7;

bool writes_through(const std::filesystem::path& folder) {
  struct statfs status {};
  return ::statfs(folder.c_str(), &status) == 0 && status.f_type == FUSE_SUPER_MAGIC;
}

}  // namespace

std::optional<std::int64_t> unwritten_bytes() {
  std::ifstream in("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  std::string unit;
  std::optional<std::int64_t> sum;
  while (in >> key >> kibibytes) {
    std::getline(in, unit);
    if (key == "Dirty:" || key == "Writeback:" || key == "NFS_Unstable:")
      sum = sum.value_or(0) + kibibytes * 1024;
  }
  return sum;
}

std::optional<Seconds> expected_end(const DrainState& state, std::optional<DataRate> known_rate) {
  const ByteCount drained = state.accepted - state.unwritten;
  std::optional<DataRate> rate;
  if (drained >= kTelling) rate = drained / state.elapsed;
  if (!rate) rate = known_rate;
  if (!rate || rate->bits_per_second() <= 0) return std::nullopt;
  return state.elapsed + state.unwritten / *rate;
}

WriteBudget::WriteBudget(const std::filesystem::path& folder, Seconds time_limit,
                         std::optional<DataRate> known_rate)
    : writes_through_(writes_through(folder)),
      time_limit_(time_limit),
      known_rate_(known_rate),
      start_(now_ns()),
      unwritten_before_(unwritten_bytes().value_or(0)),
      next_look_(start_ + kLookEvery) {}

bool WriteBudget::over(std::int64_t accepted_bytes) {
  const std::int64_t now = now_ns();
  std::int64_t due = next_look_.load(std::memory_order_relaxed);
  if (now >= due && next_look_.compare_exchange_strong(due, now + kLookEvery) && look(accepted_bytes, now))
    over_ = true;
  return over_.load(std::memory_order_relaxed);
}

bool WriteBudget::look(std::int64_t accepted_bytes, std::int64_t now) const {
  const Seconds elapsed = std::chrono::nanoseconds(now - start_);
  if (elapsed >= time_limit_) return true;
  if (writes_through_) return through_over(elapsed, ByteCount::bytes(accepted_bytes));
  const std::int64_t unwritten =
      std::clamp<std::int64_t>(unwritten_bytes().value_or(0) - unwritten_before_, 0, accepted_bytes);
  const auto end = expected_end({.elapsed = elapsed,
                                 .accepted = ByteCount::bytes(accepted_bytes),
                                 .unwritten = ByteCount::bytes(unwritten)},
                                known_rate_);
  // Nothing has drained for so long: whatever the rate is, it is slow, and what is in the cache is enough.
  if (!end) return elapsed >= time_limit_ * 0.25;
  return *end >= time_limit_;
}

bool WriteBudget::through_over(Seconds elapsed, ByteCount accepted) const {
  if (known_rate_ && accepted / *known_rate_ >= time_limit_) return true;
  return elapsed >= time_limit_ * kThroughShare;
}

}  // namespace nasdiag::filebench
