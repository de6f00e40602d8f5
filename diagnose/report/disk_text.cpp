#include "diagnose/report/disk_text.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <utility>

namespace nasdiag::report {

using diskbench::DirectionResult;
using diskbench::DiskOptions;
using diskbench::DiskResult;
using measure::Direction;
using measure::LatencyHistogram;
using measure::Seconds;

namespace {

constexpr int kLabelWidth = 34;

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string device_chain(const diskbench::Storage& storage) {
  std::string text;
  for (const diskbench::BlockDevice& device : storage.devices) {
    text += text.empty() ? " on " : ", ";
    text += device.name;
    if (!device.model.empty()) text += " (" + device.model + ")";
  }
  return text;
}

std::string where(const DiskResult& result) {
  std::string text = result.storage.mount_point.string() + ": " + result.storage.file_system;
  text += device_chain(result.storage);
  text += result.cache_path == diskbench::CachePath::direct ? "; direct I/O" : "; through the page cache";
  return text + ", engine " + to_string(result.engine);
}

std::string workload(const DiskOptions& options, Direction direction) {
  const bool mixed = reads(options.pattern) && writes(options.pattern);
  std::string text = is_random(options.pattern) ? "random " : "";
  text += to_string(direction);
  text += " " + to_text(options.block_size) + " × " + std::to_string(options.io_depth);
  if (options.jobs > 1) text += ", " + std::to_string(options.jobs) + " jobs";
  if (mixed) text += " (mixed)";
  return text;
}

std::string latency_line(const char* what, const LatencyHistogram& histogram) {
  if (histogram.count() == 0) return {};
  std::string line = std::string("      ") + what + ":";
  const auto add = [&](const char* name, std::optional<std::chrono::nanoseconds> value) {
    line +=
        std::string(line.back() == ':' ? " " : ", ") + name + " " + measure::duration_text(Seconds(*value));
  };
  add("mean", histogram.mean());
  for (const auto& [name, q] : {std::pair{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}})
    add(name, histogram.quantile(q));
  add("max", histogram.max());
  return line + "\n";
}

std::string precision_text(const DirectionResult& figures) {
  if (!figures.precision) return {};
  return formatted("  ±%.1f %%", figures.precision->relative() * 100);
}

std::string extras(const DiskResult& result, const DirectionResult& figures, Direction direction) {
  std::string text;
  if (direction == Direction::write && figures.burst > figures.throughput * 1.05)
    text += "      until written, not yet durable: " + to_text(figures.burst) + "; the flush took " +
            measure::duration_text(result.flush_time) + "\n";
  if (figures.flush_latency.count() > 1) text += latency_line("flush", figures.flush_latency);
  if (const auto slowest = slowest_second(figures.samples); slowest && !is_random(result.options.pattern))
    text += "      slowest second: " + to_text(*slowest) + "\n";
  return text;
}

std::string direction_text(const DiskResult& result, const DirectionResult& figures, Direction direction,
                           const TextStyle& style) {
  const std::string rate = padded(to_text(figures.throughput), 30);
  return "  " + padded(workload(result.options, direction), kLabelWidth) +
         emphasize(rate, Emphasis::strong, style) + formatted("%10.0f IOPS", figures.iops.per_second()) +
         precision_text(figures) + "\n" + latency_line("latency", figures.latency) +
         extras(result, figures, direction);
}

std::string notes_text(const std::vector<DiskResult>& results, const TextStyle& style) {
  std::string text;
  std::set<std::string> seen;
  for (const DiskResult& result : results)
    for (const measure::Note& note : result.notes)
      if (seen.insert(note.text).second)
        text += wrapped(printable(note.text), note.severity == measure::Severity::info ? "  - " : "  ! ",
                        style.width);
  return text.empty() ? text : "\n" + text;
}

std::string cdm_line(const DiskResult& result, const DirectionResult& figures) {
  const DiskOptions& options = result.options;
  const auto latency = figures.latency.mean().value_or(std::chrono::nanoseconds(0));
  const bool whole_mebibytes = options.block_size.bytes() % (1 << 20) == 0;
  const auto block = options.block_size.bytes() / (whole_mebibytes ? 1 << 20 : 1 << 10);
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "  %s %4lld%s (Q=%3u, T=%2u): %9.3f MB/s [%9.1f IOPS] <%9.2f us>\n",
                is_random(options.pattern) ? "RND" : "SEQ", static_cast<long long>(block),
                whole_mebibytes ? "MiB" : "KiB", options.io_depth, options.jobs,
                figures.throughput.megabytes_per_second(), figures.iops.per_second(),
                static_cast<double>(latency.count()) / 1000);
  return line.data();
}

}  // namespace

std::optional<measure::DataRate> slowest_second(const measure::SampleSeries& series) {
  constexpr Seconds kSecond{0.999};  // ten samples of a tenth don't quite add up to one
  if (duration(series) < Seconds(2)) return std::nullopt;
  std::optional<measure::DataRate> slowest;
  std::size_t first = 0;
  Seconds length{0};
  measure::ByteCount amount;
  for (const measure::RateSample& sample : series) {
    length += sample.length;
    amount += sample.amount;
    while (length - series[first].length >= kSecond) {
      length -= series[first].length;
      amount = amount - series[first++].amount;
    }
    if (length >= kSecond) slowest = std::min(slowest.value_or(amount / length), amount / length);
  }
  return slowest;
}

std::string disk_text(const std::vector<DiskResult>& results, const TextStyle& style) {
  if (results.empty()) return {};
  std::string text = wrapped(printable(where(results.front())), "", style.width) + "\n";
  for (const DiskResult& result : results) {
    if (!result.options.name.empty()) text += printable(result.options.name) + "\n";
    if (result.read) text += direction_text(result, *result.read, Direction::read, style);
    if (result.write) text += direction_text(result, *result.write, Direction::write, style);
  }
  return text + notes_text(results, style);
}

std::string cdm_text(const std::vector<DiskResult>& results, const TextStyle& style) {
  if (results.empty()) return {};
  std::string text = wrapped(printable(where(results.front())), "", style.width) + "\n[Read]\n";
  for (const DiskResult& result : results)
    if (result.read) text += cdm_line(result, *result.read);
  text += "\n[Write]\n";
  for (const DiskResult& result : results)
    if (result.write) text += cdm_line(result, *result.write);
  return text + notes_text(results, style);
}

}  // namespace nasdiag::report
