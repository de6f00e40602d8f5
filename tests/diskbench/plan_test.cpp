#include "plan.hpp"

#include <diskbench/error.hpp>

#include <catch2/catch.hpp>

#include <system_error>

using namespace nasdiag::diskbench;
using nasdiag::measure::ByteCount;
using namespace std::chrono_literals;

namespace {

const ByteCount kMemory = ByteCount::gibibytes(8);

std::error_code refusal(const DiskOptions& options) {
  try {
    check_options(options, kMemory);
    return {};
  } catch (const std::system_error& error) {
    CHECK(std::string(error.what()).size() > 30);
    return error.code();
  }
}

}  // namespace

TEST_CASE("the defaults can be measured") { CHECK_FALSE(refusal({})); }

TEST_CASE("options of nonsense are refused") {
  using O = DiskOptions;
  const O options =
      GENERATE(O{.block_size = ByteCount()}, O{.block_size = ByteCount::bytes(-4096)},
               O{.block_size = ByteCount::bytes(1000)},
               O{.block_size = ByteCount::gibibytes(1), .size = ByteCount::gibibytes(4)}, O{.io_depth = 0},
               O{.io_depth = 5000}, O{.jobs = 0}, O{.jobs = 1000}, O{.size = ByteCount::bytes(4096)},
               O{.read_percent = 101}, O{.read_percent = -1}, O{.runtime = 0ms}, O{.runtime = -1ms},
               O{.ramp_time = -1ms}, O{.byte_limit = ByteCount()}, O{.precision = 0.0}, O{.precision = 1.5},
               O{.stuck_after = 0ms}, O{.rate = nasdiag::measure::DataRate::bits_per_second(0)});
  CHECK(refusal(options) == Errc::bad_options);
}

TEST_CASE("a product of depth, jobs and block size that would eat the memory is refused") {
  CHECK(refusal({.block_size = ByteCount::mebibytes(16), .io_depth = 128, .jobs = 8}) ==
        Errc::too_much_memory);
  CHECK_FALSE(refusal({.block_size = ByteCount::mebibytes(1), .io_depth = 128, .jobs = 8}));
}

TEST_CASE("a region shrinks to what is free, in whole blocks") {
  const DiskOptions options{
      .block_size = ByteCount::mebibytes(3), .jobs = 2, .size = ByteCount::mebibytes(100)};
  const Region all = region_within(options, ByteCount::gibibytes(1), "/x");
  CHECK(all.size == ByteCount::mebibytes(99));
  CHECK_FALSE(all.shrunk);
  const Region less = region_within(options, ByteCount::mebibytes(100), "/x");
  CHECK(less.size == ByteCount::mebibytes(48));
  CHECK(less.shrunk);
}

TEST_CASE("no room for a region is an error that says how much is free") {
  try {
    region_within({}, ByteCount::bytes(0), "/some/folder");
    FAIL("took a region out of nothing");
  } catch (const std::system_error& error) {
    CHECK(error.code() == std::errc::no_space_on_device);
    CHECK_THAT(error.what(), Catch::Contains("/some/folder"));
  }
}

TEST_CASE("jobs get regions beside each other and different offsets") {
  const auto plans =
      job_plans({.pattern = Pattern::randread, .block_size = ByteCount::kibibytes(4), .jobs = 3},
                ByteCount::mebibytes(8));
  REQUIRE(plans.size() == 3);
  CHECK(plans[2].region_start == 16U << 20U);
  CHECK(plans[2].region_blocks == 2048);
  CHECK(plans[0].seed != plans[1].seed);
}

TEST_CASE("a byte limit is divided among the jobs") {
  const auto plans =
      job_plans({.jobs = 2, .byte_limit = ByteCount::mebibytes(10)}, ByteCount::mebibytes(100));
  CHECK(plans[0].block_limit == 5U);
  const auto once =
      job_plans({.jobs = 2, .byte_limit = ByteCount::gibibytes(10), .once = true}, ByteCount::mebibytes(100));
  CHECK(once[0].block_limit == 100U);
}
