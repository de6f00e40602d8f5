#include "plan.hpp"

#include <diskbench/error.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;

constexpr ByteCount kSector = ByteCount::bytes(512);
constexpr ByteCount kLargestBlock = ByteCount::mebibytes(256);
constexpr unsigned kDeepest = 4096;
constexpr unsigned kMostJobs = 256;
constexpr ByteCount kSmallestRegion = ByteCount::mebibytes(1);

[[noreturn]] void refuse(const std::string& why) { throw std::system_error(Errc::bad_options, why); }

void check_sizes(const DiskOptions& options) {
  if (options.block_size < kSector || options.block_size.bytes() % kSector.bytes() != 0)
    refuse("the block size must be a multiple of 512 bytes, not " +
           std::to_string(options.block_size.bytes()));
  if (options.block_size > kLargestBlock)
    refuse("the block size may be at most " + to_text(kLargestBlock) + ", not " +
           to_text(options.block_size));
  if (options.size < options.block_size)
    refuse("the size must hold at least one block of " + to_text(options.block_size) + ", not " +
           to_text(options.size));
  if (options.byte_limit && options.byte_limit->bytes() <= 0)
    refuse("the byte limit must be more than nothing");
}

void check_counts(const DiskOptions& options) {
  if (options.io_depth < 1 || options.io_depth > kDeepest)
    refuse("the I/O depth must be 1 to " + std::to_string(kDeepest) + ", not " +
           std::to_string(options.io_depth));
  if (options.jobs < 1 || options.jobs > kMostJobs)
    refuse("the number of jobs must be 1 to " + std::to_string(kMostJobs) + ", not " +
           std::to_string(options.jobs));
  if (options.read_percent < 0 || options.read_percent > 100)
    refuse("the share of reads must be 0 to 100 percent, not " + std::to_string(options.read_percent));
  if (options.rate && options.rate->bits_per_second() <= 0) refuse("the rate must be more than nothing");
  if (options.precision && (*options.precision <= 0 || *options.precision >= 1))
    refuse("the precision must lie between 0 and 1");
}

void check_times(const DiskOptions& options) {
  if (options.runtime.count() <= 0 && !options.once) refuse("the runtime must be more than nothing");
  if (options.ramp_time.count() < 0) refuse("the ramp time can't be negative");
  if (options.stuck_after.count() <= 0)
    refuse("the time after which a disk counts as stuck must be more than nothing");
}

void check_memory(const DiskOptions& options, ByteCount memory) {
  const ByteCount needed = options.block_size * options.io_depth * options.jobs;
  const ByteCount allowed = ByteCount::bytes(memory.bytes() / kLargestMemoryShare);
  if (needed > allowed)
    throw std::system_error(Errc::too_much_memory,
                            std::to_string(options.jobs) + " jobs with " + std::to_string(options.io_depth) +
                                " requests of " + to_text(options.block_size) + " take " + to_text(needed) +
                                ", and at most " + to_text(allowed) +
                                " are used; ask for fewer jobs, a smaller depth or smaller blocks");
}

}  // namespace

void check_options(const DiskOptions& options, ByteCount memory) {
  check_sizes(options);
  check_counts(options);
  check_times(options);
  check_memory(options, memory);
}

Region region_within(const DiskOptions& options, ByteCount room, const std::filesystem::path& directory) {
  const std::int64_t block = options.block_size.bytes();
  const std::int64_t wanted = options.size.bytes() / block * block;
  const std::int64_t possible = room.bytes() / options.jobs / block * block;
  if (wanted <= possible) return {.size = ByteCount::bytes(wanted)};
  if (ByteCount::bytes(possible) < std::max(options.block_size, kSmallestRegion))
    throw std::system_error(ENOSPC, std::generic_category(),
                            "measuring in " + directory.string() + " needs space for a test file, and " +
                                to_text(room) +
                                " are free above the reserve; free some space or name another folder");
  return {.size = ByteCount::bytes(possible), .shrunk = true};
}

std::vector<JobPlan> job_plans(const DiskOptions& options, ByteCount region) {
  const auto block = static_cast<std::size_t>(options.block_size.bytes());
  const std::uint64_t blocks = static_cast<std::uint64_t>(region.bytes()) / block;
  std::vector<JobPlan> plans(options.jobs);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    JobPlan& plan = plans[i];
    plan.pattern = options.pattern;
    plan.region_start = i * static_cast<std::uint64_t>(region.bytes());
    plan.region_blocks = blocks;
    plan.block_size = block;
    plan.io_depth = options.io_depth;
    plan.read_percent = options.read_percent;
    plan.random_map = options.random_map;
    plan.fsync_every = options.fsync_every;
    plan.fdatasync_every = options.fdatasync_every;
    plan.rate = options.rate;
    plan.sq_poll = options.sq_poll;
    plan.io_poll = options.io_poll;
    plan.seed = mix(options.seed * kMostJobs + i);
    if (options.once) plan.block_limit = blocks;
    if (options.byte_limit) {
      const auto share = static_cast<std::uint64_t>(options.byte_limit->bytes()) / options.jobs / block;
      plan.block_limit = std::min(plan.block_limit.value_or(UINT64_MAX), std::max<std::uint64_t>(1, share));
    }
  }
  return plans;
}

std::string phase_name(const DiskOptions& options) {
  if (!options.name.empty()) return options.name;
  return std::string(to_string(options.pattern)) + " " + to_text(options.block_size);
}

}  // namespace nasdiag::diskbench
