#include "diagnose/report/disk_json.hpp"

#include "diagnose/formats/fio_json.hpp"
#include "diagnose/report/json_text.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace nasdiag;
using namespace nasdiag::diskbench;
using measure::ByteCount;
using measure::DataRate;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

DirectionResult direction() {
  DirectionResult result;
  for (int i = 0; i < 20; ++i)
    result.samples.push_back(
        {.start = measure::Seconds(i), .length = measure::Seconds(1), .amount = ByteCount::mebibytes(10)});
  result.operations = 200;
  result.bytes = ByteCount::mebibytes(200);
  result.throughput = DataRate::megabytes_per_second(100);
  result.burst = DataRate::megabytes_per_second(105);
  result.iops = measure::OpRate::per_second(100);
  result.latency = measure::LatencyHistogram::from_buckets({{20ns, 150}, {40ns, 50}});
  result.flush_latency = measure::LatencyHistogram::from_buckets({{50ns, 1}});
  result.precision = measure::precision(result.samples, 0);
  result.change_points = {{.sample = 10,
                           .time = measure::Seconds(1),
                           .moved_before = ByteCount::mebibytes(100),
                           .before = DataRate::megabytes_per_second(120),
                           .after = DataRate::megabytes_per_second(80)}};
  result.trend = measure::Trend{.relative_change = -0.1, .p_value = 0.001};
  return result;
}

DiskResult full_result() {
  DiskResult result;
  result.options = {.name = "job",
                    .pattern = Pattern::randrw,
                    .block_size = ByteCount::kibibytes(4),
                    .io_depth = 32,
                    .jobs = 2,
                    .size = ByteCount::mebibytes(64),
                    .read_percent = 70,
                    .runtime = 5s,
                    .ramp_time = 500ms,
                    .byte_limit = ByteCount::gibibytes(1),
                    .prepare_limit = 3s,
                    .direct = Direct::on,
                    .sync = Sync::dsync,
                    .fsync_every = 8,
                    .rate = DataRate::megabytes_per_second(50),
                    .random_map = false,
                    .engine = EngineChoice::blocking,
                    .seed = 99};
  result.storage = {
      .mount_point = "/home",
      .file_system = "ext4",
      .source = "/dev/sda1",
      .mount_options = "rw",
      .devices = {{.name = "sda1", .kind = DeviceKind::partition, .size = ByteCount::gibibytes(10)},
                  {.name = "sda",
                   .level = 1,
                   .rotational = true,
                   .model = "Disk",
                   .transport = "sata",
                   .link = DataRate::megabits_per_second(4800),
                   .queue_requests = 64,
                   .largest_request = ByteCount::kibibytes(1280),
                   .temperature_celsius = 41.5}},
      .raids = {{.name = "md0", .level = "raid5", .activity = "resync", .activity_percent = 12.5}},
      .free_space = ByteCount::gibibytes(2)};
  result.engine = Engine::blocking;
  result.cache_path = CachePath::buffered;
  result.resident_share = 0.25;
  result.region = ByteCount::mebibytes(64);
  result.apparent_size = ByteCount::mebibytes(128);
  result.allocated_size = ByteCount::mebibytes(127);
  result.read = direction();
  result.write = direction();
  result.window = 2s;
  result.flush_time = 100ms;
  result.user_cpu = 10ms;
  result.system_cpu = 20ms;
  result.stop_reason = StopReason::no_space;
  result.errors = {{.direction = measure::Direction::write, .offset = ByteCount::bytes(4096), .error = 28}};
  result.error_count = 1;
  result.notes = {{"no-space", measure::Severity::warning, "full"}};
  return result;
}

// Through text, as a file would.
json::object through_text(const json::object& object) {
  return json::parse(report::json_text(object)).as_object();
}

}  // namespace

TEST_CASE("a disk result survives being saved and read") {
  const DiskResult result = full_result();
  const DiskResult again = report::disk_result_from_json(through_text(report::to_json(result)));
  CHECK(again.options == result.options);
  CHECK(again.storage == result.storage);
  CHECK(again.read == result.read);
  CHECK(again.errors == result.errors);
  CHECK(again == result);
}

TEST_CASE("an empty or foreign object reads as a result without figures") {
  const DiskResult result =
      report::disk_result_from_json(json::parse(R"({"read": 5, "options": [], "x": {}})").as_object());
  CHECK_FALSE(result.read.has_value());
  CHECK(result.options.block_size == ByteCount::mebibytes(1));
}

TEST_CASE("fio's keys hold what fio's would") {
  const json::object object = through_text(formats::fio_json({full_result()}, {}));
  CHECK(formats::is_fio_json(object));
  const json::object& job = object.at("jobs").as_array().at(0).as_object();
  CHECK(job.at("jobname") == "job");
  CHECK(job.at("read").at("iops").to_number<double>() == Approx(100));
  CHECK(job.at("read").at("bw_bytes") == 100'000'000);
  CHECK(job.at("read").at("io_bytes") == 200 << 20);
  CHECK(job.at("read").at("total_ios") == 200);
  CHECK(job.at("read").at("clat_ns").at("percentile").at("99.000000") == 40);
  CHECK(job.at("write").at("runtime") == 2100);
  CHECK(job.at("sync").at("total_ios") == 1);
  CHECK(job.at("trim").at("total_ios") == 0);
  CHECK(job.at("error") == 28);
}

TEST_CASE("fio's own output is read, options of a job before global ones") {
  const auto results = formats::results_from_fio_json(json::parse(R"({
    "fio version": "fio-3.33", "global options": {"bs": "1M", "iodepth": "8", "direct": "1", "runtime": "30"},
    "jobs": [{"jobname": "a", "job options": {"rw": "randread", "bs": "4k", "numjobs": "2"}, "job_runtime": 30001,
              "read": {"io_bytes": 4096000, "bw": 133, "bw_bytes": 136533, "iops": 33.3, "total_ios": 1000,
                       "clat_ns": {"bins": {"1000": 10, "2000": 5}}},
              "write": {"io_bytes": 0, "total_ios": 0}},
             {"jobname": "b", "error": 5, "job options": {"rw": "write"}, "read": {}, "write": {"total_ios": 1,
              "bw": 1000}}]})"));
  REQUIRE(results.size() == 2);
  const DiskResult& first = results[0];
  CHECK(first.options.pattern == Pattern::randread);
  CHECK(first.options.block_size == ByteCount::kibibytes(4));
  CHECK(first.options.io_depth == 8);
  CHECK(first.options.jobs == 2);
  CHECK(first.options.runtime == 30s);
  CHECK(first.cache_path == CachePath::direct);
  CHECK(first.read->throughput == DataRate::bytes_per_second(136533));
  CHECK(first.read->latency.count() == 15);
  CHECK_FALSE(first.write.has_value());
  CHECK(results[1].options.block_size == ByteCount::mebibytes(1));
  CHECK(results[1].write->throughput == DataRate::bytes_per_second(1024000));
  CHECK(results[1].errors.front().error == 5);
}

TEST_CASE("what isn't fio's gives no results") {
  CHECK_FALSE(formats::is_fio_json(json::parse(R"({"start": {}})")));
  CHECK(formats::results_from_fio_json(json::parse(R"({"jobs": 3})")).empty());
  CHECK(formats::results_from_fio_json(json::parse("[1]")).empty());
}
