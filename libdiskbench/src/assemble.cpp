#include "assemble.hpp"

#include <algorithm>

namespace nasdiag::diskbench {

namespace {

using measure::Seconds;

constexpr std::size_t kKeptErrors = 16;

measure::OpRate per_second(std::uint64_t operations, Seconds time) {
  return measure::OpRate::per_second(time.count() > 0 ? static_cast<double>(operations) / time.count() : 0);
}

DirectionResult direction(const measure::SampleSeries& samples, std::uint64_t operations, Seconds window,
                          Seconds flush) {
  DirectionResult result;
  result.samples = samples;
  result.operations = operations;
  result.bytes = total(samples);
  result.throughput = result.bytes / (window + flush);
  result.burst = result.bytes / window;
  result.iops = per_second(operations, window + flush);
  result.precision = measure::precision(samples, measure::warm_up_end(samples));
  result.change_points = measure::change_points(samples);
  result.trend = measure::trend(samples);
  return result;
}

void add_job(DiskResult& result, const JobResult& job) {
  if (result.read) result.read->latency.merge(job.read.latency);
  if (result.write) {
    result.write->latency.merge(job.write.latency);
    result.write->flush_latency.merge(job.flush_latency);
  }
  result.user_cpu += job.user_cpu;
  result.system_cpu += job.system_cpu;
  result.error_count += job.error_count;
  for (const DeviceError& error : job.errors)
    if (result.errors.size() < kKeptErrors) result.errors.push_back(error);
  if (job.engine) result.engine = *job.engine;
}

}  // namespace

void add_figures(DiskResult& result, const RunOutcome& outcome, std::optional<Seconds> flush) {
  result.stop_reason = outcome.stop_reason;
  result.window = std::max(Seconds(0), Seconds(outcome.window_close - outcome.window_open));
  result.flush_time = flush.value_or(Seconds(0));
  const Pattern pattern = result.options.pattern;
  if (reads(pattern)) result.read = direction(outcome.read, outcome.reads, result.window, Seconds(0));
  if (writes(pattern))
    result.write = direction(outcome.write, outcome.writes, result.window, result.flush_time);
  for (const JobResult& job : outcome.jobs) add_job(result, job);
  if (result.write && flush)
    result.write->flush_latency.add(std::chrono::duration_cast<std::chrono::nanoseconds>(*flush));
}

}  // namespace nasdiag::diskbench
