#include "diagnose/report/disk_text.hpp"

#include <catch2/catch.hpp>

#include <support/made_up_series.hpp>

using namespace nasdiag;
using namespace nasdiag::diskbench;
using measure::DataRate;

namespace {

DiskResult measured(Pattern pattern) {
  DiskResult result;
  result.options.pattern = pattern;
  result.storage.mount_point = "/srv";
  result.storage.file_system = "xfs";
  result.storage.devices = {{.name = "sda", .model = "Big Disk"}};
  DirectionResult figures;
  figures.throughput = DataRate::megabytes_per_second(117.6);
  figures.burst = DataRate::megabytes_per_second(250);
  figures.iops = measure::OpRate::per_second(112);
  figures.latency.add(std::chrono::microseconds(1500));
  (writes(pattern) ? result.write : result.read) = figures;
  result.notes = {{"some", measure::Severity::warning, "Something to know."}};
  return result;
}

}  // namespace

TEST_CASE("the text names the disk, the workload, both units and every note once") {
  const std::string text =
      report::disk_text({measured(Pattern::read), measured(Pattern::write)}, {.width = 80});
  CHECK_THAT(text, Catch::Contains("/srv: xfs on sda (Big Disk); direct I/O, engine io_uring"));
  CHECK_THAT(text, Catch::Contains("read 1 MiB × 8"));
  CHECK_THAT(text, Catch::Contains("941 Mbit/s (117.6 MB/s)"));
  CHECK_THAT(text, Catch::Contains("until written, not yet durable: 2000 Mbit/s (250.0 MB/s)"));
  const auto first = text.find("Something to know.");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("Something to know.", first + 1) == std::string::npos);
}

TEST_CASE("the table of CrystalDiskMark has its reads first and its columns") {
  const std::string text =
      report::cdm_text({measured(Pattern::write), measured(Pattern::read)}, {.width = 80});
  CHECK_THAT(
      text,
      Catch::Contains("[Read]\n  SEQ    1MiB (Q=  8, T= 1):   117.600 MB/s [    112.0 IOPS] <  1500.00 us>"));
  CHECK(text.find("[Read]") < text.find("[Write]"));
}

TEST_CASE("no results give no text") {
  CHECK(report::disk_text({}, {}).empty());
  CHECK(report::cdm_text({}, {}).empty());
}

TEST_CASE("the slowest second is that of the samples that follow each other") {
  auto rates = test::constant(30, 800);
  for (std::size_t i = 12; i < 22; ++i) rates[i] = 80;
  const auto slowest = report::slowest_second(test::series_of(rates));
  REQUIRE(slowest.has_value());
  CHECK(slowest->megabits_per_second() == Approx(80).epsilon(0.01));
  CHECK_FALSE(report::slowest_second(test::series_of(test::constant(10, 800))).has_value());
}
