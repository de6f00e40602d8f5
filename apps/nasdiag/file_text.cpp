#include "nasdiag/file_text.hpp"

#include <diagnose/report/file_json.hpp>
#include <diagnose/report/file_operations_json.hpp>
#include <measure/quantity_text.hpp>

#include <cmath>

namespace nasdiag::app {

namespace {

using filebench::CacheState;
using filebench::Mount;
using filebench::TransferResult;
using measure::duration_text;
using measure::to_text;
using report::printable;
using report::TextStyle;

constexpr int kNameWidth = 27;

std::string fact(std::string_view name, std::string_view value) {
  return value.empty() ? "" : ", " + std::string(name) + " " + printable(value);
}

std::string mount_text(const Mount& mount, const TextStyle& style) {
  std::string text = printable(mount.mount_point.string()) + ": " + printable(mount.protocol);
  if (!mount.server.empty()) text += " from " + printable(mount.server);
  if (!mount.address.empty() && mount.address != mount.server) text += " (" + printable(mount.address) + ")";
  text += fact("share", mount.share);
  if (mount.read_request_size) text += ", rsize " + to_text(*mount.read_request_size);
  if (mount.write_request_size) text += ", wsize " + to_text(*mount.write_request_size);
  if (mount.read_ahead) text += ", read-ahead " + to_text(*mount.read_ahead);
  if (mount.connections > 1) text += ", " + std::to_string(mount.connections) + " connections";
  if (mount.is_signed.value_or(false)) text += ", signed";
  if (mount.encrypted.value_or(false)) text += ", encrypted";
  return report::wrapped(text, "Mount ", style.width);
}

std::string notes_text(const measure::Notes& notes, const TextStyle& style) {
  std::string text;
  for (const measure::Note& note : notes) {
    const bool serious = note.severity != measure::Severity::info;
    text += report::wrapped(printable(note.text), serious ? "       ! " : "       - ", style.width);
  }
  return text;
}

std::string line(std::string_view name, std::string_view value) {
  return "  " + report::padded(name, kNameWidth) + " " + std::string(value) + "\n";
}

std::string cache_text(const TransferResult& result) {
  switch (result.cache) {
    case CacheState::cold:
      return "cold";
    case CacheState::server_warm:
      return "from the server's memory, perhaps";
    case CacheState::warm:
      return "from this machine's memory";
    case CacheState::unknown:
      return "cache state unknown";
  }
  return "";
}

std::string spread_text(const TransferResult& result) {
  if (result.runs.size() < 2) return "";
  const auto rate = [](double bits) {
    return measure::megabytes_text(measure::DataRate::bits_per_second(bits));
  };
  return ", median of " + std::to_string(result.runs.size()) + " (" + rate(result.run_rates.min) + " to " +
         rate(result.run_rates.max) + ")";
}

std::string hash_text(const filebench::HashResult& hash) {
  switch (hash.verdict) {
    case filebench::HashVerdict::match:
      return ", verified (" + std::string(to_string(hash.kind)) + ")";
    case filebench::HashVerdict::mismatch:
      return ", NOT what was written";
    case filebench::HashVerdict::nothing_to_compare:
      return ", " + std::string(to_string(hash.kind)) + " " + hash.digest;
  }
  return "";
}

std::string figures_text(const TransferResult& result) {
  std::string text = result.rate.bits_per_second() > 0 ? to_text(result.rate) : std::string("no rate");
  text += ", " + to_text(result.amount) + spread_text(result);
  if (result.flush_time && result.accepted_rate && *result.flush_time > result.window * 0.05)
    text += ", of it " + duration_text(*result.flush_time) + " flushing (a progress bar would show " +
            measure::megabytes_text(*result.accepted_rate) + ")";
  if (result.direction == measure::Direction::read) text += ", " + cache_text(result);
  if (result.hash) text += hash_text(*result.hash);
  return text;
}

std::string body(const std::string& name, const TransferResult& result, const TextStyle& style) {
  if (result.amount.bytes() == 0) return "";
  return report::wrapped(figures_text(result), "  " + report::padded(name, kNameWidth) + " ", style.width) +
         notes_text(result.notes, style);
}

std::string body(const std::string& name, const filebench::SweepResult& result, const TextStyle& style) {
  std::string text;
  const auto row = [&](const filebench::RequestPoint& point, const std::string& what) {
    return line(
        what, report::right_aligned(duration_text(point.median_time), 9) + " each   " + to_text(point.rate));
  };
  for (const auto& point : result.by_size) text += row(point, name + " of " + to_text(point.size));
  for (const auto& point : result.by_in_flight)
    text += row(point, "  " + std::to_string(point.in_flight) + " in flight, " + to_text(point.size));
  if (result.latency && result.bandwidth)
    text += line("  time per request",
                 duration_text(*result.latency) + " + size / " + to_text(*result.bandwidth));
  return text + notes_text(result.notes, style);
}

std::string per_second(double rate) {
  return report::right_aligned(std::to_string(std::lround(rate)), 7) + "/s";
}

std::string latency_text(const measure::LatencyHistogram& latency) {
  const auto part = [&](double q) { return duration_text(measure::Seconds(latency.quantile(q).value())); };
  return latency.count() == 0 ? "" : "   half within " + part(0.5) + ", 99 % within " + part(0.99);
}

std::string body(const std::string& name, const filebench::SmallFilesResult& result, const TextStyle& style) {
  std::string text = line(name, std::to_string(result.files) + " files of " + to_text(result.file_size));
  for (const auto& figures : result.operations)
    if (figures.count > 0)
      text += line("  " + std::string(to_string(figures.operation)),
                   per_second(figures.rate.per_second()) + latency_text(figures.latency));
  return text + notes_text(result.notes, style);
}

std::string body(const std::string& name, const filebench::ListingResult& result, const TextStyle& style) {
  if (result.entries == 0) return "";
  return line(name, std::to_string(result.entries) + " entries: names " + duration_text(result.names_time) +
                        ", then attributes " + duration_text(result.attributes_time)) +
         notes_text(result.notes, style);
}

std::string body(const std::string& name, const filebench::CommitResult& result, const TextStyle& style) {
  return line(name, per_second(result.commits.rate.per_second()) + latency_text(result.commits.latency)) +
         notes_text(result.notes, style);
}

}  // namespace

std::string file_report_text(const FileReport& file_report, const TextStyle& style) {
  std::string text =
      mount_text(file_report.mount, style) + notes_text(file_report.mount.suspicious, style) + "\n";
  for (const FileExperiment& experiment : file_report.experiments) {
    const std::string name = printable(experiment.name);
    std::visit(
        [&](const auto& result) {
          text += body(name, result, style);
          if (!result.failure.empty())
            text += report::wrapped(
                printable(result.failure),
                "  " + report::padded(name, kNameWidth) + " " + std::string(to_string(result.outcome)) + ": ",
                style.width);
        },
        experiment.result);
  }
  return text;
}

boost::json::object file_report_json(const FileReport& file_report) {
  boost::json::array experiments;
  for (const FileExperiment& experiment : file_report.experiments) {
    boost::json::object object{{"name", experiment.name}};
    std::visit(
        [&](const auto& result) {
          for (auto& entry : report::to_json(result)) object[entry.key()] = entry.value();
        },
        experiment.result);
    experiments.push_back(std::move(object));
  }
  return {{"format", "nasdiag-file"},
          {"version", 1},
          {"mount", report::to_json(file_report.mount)},
          {"experiments", std::move(experiments)}};
}

}  // namespace nasdiag::app
