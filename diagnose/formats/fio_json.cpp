#include "diagnose/formats/fio_json.hpp"

#include "diagnose/report/disk_json.hpp"
#include "diagnose/report/measure_json.hpp"

#include <diskbench/words.hpp>
#include <measure/quantity_text.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

namespace nasdiag::formats {

namespace json = boost::json;
using diskbench::DirectionResult;
using diskbench::DiskOptions;
using diskbench::DiskResult;
using measure::ByteCount;
using measure::DataRate;
using measure::LatencyHistogram;
using measure::Seconds;

namespace {

constexpr std::array kPercentiles{1.0,  5.0,  10.0, 20.0, 30.0, 40.0, 50.0,  60.0, 70.0,
                                  80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99};

std::string percentile_key(double percent) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.6f", percent);
  return text.data();
}

double standard_deviation(const LatencyHistogram& histogram) {
  if (histogram.count() < 2) return 0;
  const auto mean = static_cast<double>(histogram.mean()->count());
  double squares = 0;
  for (const auto& bucket : histogram.non_empty_buckets()) {
    const double off = static_cast<double>(bucket.value.count()) - mean;
    squares += off * off * static_cast<double>(bucket.count);
  }
  return std::sqrt(squares / static_cast<double>(histogram.count()));
}

json::object latency_json(const LatencyHistogram& histogram, bool with_percentiles) {
  json::object object;
  const auto ns = [](const auto& value) { return value ? value->count() : 0; };
  object["min"] = ns(histogram.min());
  object["max"] = ns(histogram.max());
  object["mean"] = static_cast<double>(ns(histogram.mean()));
  object["stddev"] = standard_deviation(histogram);
  object["N"] = histogram.count();
  if (!with_percentiles || histogram.count() == 0) return object;
  json::object percentiles;
  for (const double percent : kPercentiles)
    percentiles[percentile_key(percent)] = ns(histogram.quantile(percent / 100));
  object["percentile"] = std::move(percentiles);
  return object;
}

std::int64_t kibibytes(double bytes) { return std::llround(bytes / 1024); }

void add_rate_samples(json::object& object, const DirectionResult& direction, ByteCount block) {
  std::vector<double> rates;
  for (const measure::RateSample& sample : direction.samples)
    rates.push_back(sample.rate().bytes_per_second());
  const measure::Summary bytes = measure::summarize(rates);
  const double per_operation = static_cast<double>(block.bytes());
  object["bw_min"] = kibibytes(bytes.min);
  object["bw_max"] = kibibytes(bytes.max);
  object["bw_agg"] = rates.empty() ? 0.0 : 100.0;
  object["bw_mean"] = bytes.mean / 1024;
  object["bw_dev"] = bytes.standard_deviation / 1024;
  object["bw_samples"] = bytes.count;
  object["iops_min"] = std::llround(bytes.min / per_operation);
  object["iops_max"] = std::llround(bytes.max / per_operation);
  object["iops_mean"] = bytes.mean / per_operation;
  object["iops_stddev"] = bytes.standard_deviation / per_operation;
  object["iops_samples"] = bytes.count;
}

json::object direction_json(const DirectionResult& direction, Seconds runtime, ByteCount block) {
  json::object object;
  object["io_bytes"] = direction.bytes.bytes();
  object["io_kbytes"] = direction.bytes.bytes() / 1024;
  object["bw_bytes"] = std::llround(direction.throughput.bytes_per_second());
  object["bw"] = kibibytes(direction.throughput.bytes_per_second());
  object["iops"] = direction.iops.per_second();
  object["runtime"] = std::llround(runtime.count() * 1000);
  object["total_ios"] = direction.operations;
  object["short_ios"] = 0;
  object["drop_ios"] = 0;
  object["slat_ns"] = latency_json({}, false);
  object["clat_ns"] = latency_json(direction.latency, true);
  object["lat_ns"] = latency_json(direction.latency, false);
  add_rate_samples(object, direction, block);
  return object;
}

json::object job_options_json(const DiskOptions& options) {
  json::object object;
  object["name"] = options.name.empty() ? to_string(options.pattern) : options.name;
  object["rw"] = to_string(options.pattern);
  object["bs"] = std::to_string(options.block_size.bytes());
  object["iodepth"] = std::to_string(options.io_depth);
  object["numjobs"] = std::to_string(options.jobs);
  object["size"] = std::to_string(options.size.bytes());
  object["runtime"] =
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(options.runtime).count());
  if (reads(options.pattern) && writes(options.pattern))
    object["rwmixread"] = std::to_string(options.read_percent);
  if (options.fsync_every != 0) object["fsync"] = std::to_string(options.fsync_every);
  if (options.fdatasync_every != 0) object["fdatasync"] = std::to_string(options.fdatasync_every);
  return object;
}

double percent_of(Seconds part, Seconds whole) { return whole.count() > 0 ? 100 * (part / whole) : 0; }

json::object job_json(const DiskResult& result) {
  const DirectionResult none;
  const ByteCount block = result.options.block_size;
  const Seconds whole = result.window + result.flush_time;
  json::object job;
  job["jobname"] = result.options.name.empty() ? to_string(result.options.pattern) : result.options.name;
  job["groupid"] = 0;
  job["error"] = result.errors.empty() ? 0 : result.errors.front().error;
  job["eta"] = 0;
  job["elapsed"] = std::llround(std::ceil(whole.count()));
  job["job options"] = job_options_json(result.options);
  job["job options"].get_object()["ioengine"] = to_string(result.engine);
  job["job options"].get_object()["direct"] = result.cache_path == diskbench::CachePath::direct ? "1" : "0";
  job["read"] = direction_json(result.read.value_or(none), result.read ? result.window : Seconds(0), block);
  job["write"] = direction_json(result.write.value_or(none), result.write ? whole : Seconds(0), block);
  job["trim"] = direction_json(none, Seconds(0), block);
  json::object sync;
  sync["total_ios"] = result.write ? result.write->flush_latency.count() : 0;
  sync["lat_ns"] = latency_json(result.write ? result.write->flush_latency : LatencyHistogram(), true);
  job["sync"] = std::move(sync);
  job["job_runtime"] = std::llround(whole.count() * 1000);
  job["usr_cpu"] = percent_of(result.user_cpu, result.window);
  job["sys_cpu"] = percent_of(result.system_cpu, result.window);
  job["nasdiag"] = report::to_json(result);
  return job;
}

std::string calendar_text(std::time_t time) {
  std::tm parts{};
  ::localtime_r(&time, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts);
  return text.data();
}

// Reading.

std::optional<std::string> option_of(const json::object& job, const json::object& global,
                                     std::string_view key) {
  const json::object& own = report::object_at(job, "job options");
  if (auto text = report::text_at(own, key)) return text;
  return report::text_at(global, key);
}

std::optional<diskbench::Pattern> pattern_of(std::string word) {
  if (word == "readwrite") word = "rw";
  return diskbench::pattern_from_text(word.substr(0, word.find(':')));
}

DiskOptions options_of(const json::object& job, const json::object& global) {
  DiskOptions options;
  options.name = report::text_at(job, "jobname").value_or("");
  options.io_depth = 1;
  options.block_size = ByteCount::kibibytes(4);
  const auto word = [&](std::string_view key) { return option_of(job, global, key).value_or(""); };
  if (const auto pattern = pattern_of(word("rw"))) options.pattern = *pattern;
  if (const auto pattern = pattern_of(word("readwrite"))) options.pattern = *pattern;
  for (const char* key : {"bs", "blocksize"})
    if (const auto size = measure::parse_byte_count(word(key))) options.block_size = *size;
  if (const auto size = measure::parse_byte_count(word("size"))) options.size = *size;
  if (const auto depth = measure::parse_byte_count(word("iodepth")))
    options.io_depth = static_cast<unsigned>(depth->bytes());
  if (const auto jobs = measure::parse_byte_count(word("numjobs")))
    options.jobs = static_cast<unsigned>(jobs->bytes());
  if (const auto time = measure::parse_duration(word("runtime"))) options.runtime = *time;
  return options;
}

LatencyHistogram histogram_of(const json::object& latency) {
  std::vector<LatencyHistogram::Bucket> buckets;
  for (const auto& [key, value] : report::object_at(latency, "bins")) {
    const auto ns = measure::parse_byte_count(std::string(key));
    if (ns && value.is_int64() && value.get_int64() > 0)
      buckets.push_back(
          {std::chrono::nanoseconds(ns->bytes()), static_cast<std::uint64_t>(value.get_int64())});
  }
  return LatencyHistogram::from_buckets(buckets);
}

std::optional<DirectionResult> direction_of(const json::object& object) {
  const auto operations = report::integer_at(object, "total_ios").value_or(0);
  if (operations <= 0) return std::nullopt;
  DirectionResult direction;
  direction.operations = static_cast<std::uint64_t>(operations);
  direction.bytes = ByteCount::bytes(report::integer_at(object, "io_bytes").value_or(0));
  const auto kibibytes_per_second = report::number_at(object, "bw").value_or(0);
  direction.throughput = direction.burst =
      DataRate::bytes_per_second(report::number_at(object, "bw_bytes").value_or(kibibytes_per_second * 1024));
  direction.iops = measure::OpRate::per_second(report::number_at(object, "iops").value_or(0));
  direction.latency = histogram_of(report::object_at(object, "clat_ns"));
  return direction;
}

DiskResult result_of(const json::object& job, const json::object& global) {
  DiskResult result;
  result.options = options_of(job, global);
  result.read = direction_of(report::object_at(job, "read"));
  result.write = direction_of(report::object_at(job, "write"));
  for (const char* key : {"filename", "directory"})
    if (const auto place = option_of(job, global, key)) result.storage.mount_point = *place;
  result.window = std::chrono::milliseconds(report::integer_at(job, "job_runtime").value_or(0));
  const bool direct = option_of(job, global, "direct") == "1";
  result.cache_path = direct ? diskbench::CachePath::direct : diskbench::CachePath::buffered;
  const auto error = report::integer_at(job, "error").value_or(0);
  if (error != 0) {
    result.error_count = 1;
    result.errors.push_back({.error = static_cast<int>(error)});
    result.stop_reason = diskbench::StopReason::error;
  }
  return result;
}

}  // namespace

json::object fio_json(const std::vector<DiskResult>& results, std::chrono::system_clock::time_point now) {
  const auto since_epoch = now.time_since_epoch();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  json::object object;
  object["fio version"] = "fio-3.33";  // whose layout this is
  object["timestamp"] = static_cast<std::int64_t>(seconds);
  object["timestamp_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  object["time"] = calendar_text(seconds);
  json::array jobs;
  for (const DiskResult& result : results) jobs.push_back(job_json(result));
  object["jobs"] = std::move(jobs);
  return object;
}

bool is_fio_json(const json::value& value) {
  return value.is_object() && value.get_object().contains("fio version") &&
         value.get_object().contains("jobs");
}

std::vector<DiskResult> results_from_fio_json(const json::value& value) {
  std::vector<DiskResult> results;
  if (!value.is_object()) return results;
  const json::object& global = report::object_at(value.get_object(), "global options");
  for (const json::value& job : report::array_at(value.get_object(), "jobs"))
    if (job.is_object()) results.push_back(result_of(job.get_object(), global));
  return results;
}

}  // namespace nasdiag::formats
