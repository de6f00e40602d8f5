#include "diagnose/report/file_operations_json.hpp"

#include "diagnose/report/file_counters_json.hpp"
#include "diagnose/report/file_json.hpp"
#include "diagnose/report/measure_json.hpp"

#include <array>

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using filebench::CommitResult;
using filebench::FileOperation;
using filebench::ListingResult;
using filebench::OperationFigures;
using filebench::RequestPoint;
using filebench::SmallFilesResult;
using filebench::SweepResult;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

constexpr std::array kOperations{FileOperation::create, FileOperation::stat,   FileOperation::list,
                                 FileOperation::read,   FileOperation::remove, FileOperation::commit};

std::size_t count_at(const json::object& object, std::string_view key) {
  const auto value = integer_at(object, key);
  return value && *value > 0 ? static_cast<std::size_t>(*value) : 0;
}

Seconds time_at(const json::object& object, const std::string& key) {
  return seconds_at(object, key).value_or(Seconds(0));
}

// What all of them have.
template <class Result>
json::object ending_json(const Result& result) {
  return {{"outcome", to_string(result.outcome)},
          {"failure", result.failure},
          {"error_number", result.error_number}};
}

template <class Result>
void read_ending(const json::object& object, Result& result) {
  result.outcome = outcome_from_text(text_at(object, "outcome").value_or(""));
  result.failure = text_at(object, "failure").value_or("");
  result.error_number = static_cast<int>(integer_at(object, "error_number").value_or(0));
  result.notes = notes_from_json(array_at(object, "notes"));
  if constexpr (requires { result.counters; })
    if (has_object(object, "counters"))
      result.counters = mount_counters_from_json(object_at(object, "counters"));
}

json::array points_json(const std::vector<RequestPoint>& points) {
  json::array array;
  for (const RequestPoint& point : points) {
    json::object object{{"in_flight", point.in_flight}, {"requests", point.requests}};
    put(object, "size", point.size);
    put(object, "mean_time", point.mean_time);
    put(object, "median_time", point.median_time);
    put(object, "p99_time", point.p99_time);
    put(object, "rate", point.rate);
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<RequestPoint> points_from(const json::array& array) {
  std::vector<RequestPoint> points;
  for (const json::value& value : array) {
    if (!value.is_object()) continue;
    const json::object& object = value.get_object();
    points.push_back({.size = bytes_at(object, "size").value_or(ByteCount()),
                      .in_flight = count_at(object, "in_flight"),
                      .requests = count_at(object, "requests"),
                      .mean_time = time_at(object, "mean_time"),
                      .median_time = time_at(object, "median_time"),
                      .p99_time = time_at(object, "p99_time"),
                      .rate = rate_at(object, "rate").value_or(DataRate())});
  }
  return points;
}

json::object figures_json(const OperationFigures& figures) {
  json::object object{{"operation", to_string(figures.operation)},
                      {"count", figures.count},
                      {"operations_per_second", figures.rate.per_second()},
                      {"latency", to_json(figures.latency)}};
  put(object, "window", figures.window);
  return object;
}

OperationFigures figures_from(const json::object& object) {
  OperationFigures figures;
  const std::string name = text_at(object, "operation").value_or("");
  for (const FileOperation operation : kOperations)
    if (to_string(operation) == name) figures.operation = operation;
  figures.count = count_at(object, "count");
  figures.window = time_at(object, "window");
  figures.rate = measure::OpRate::per_second(number_at(object, "operations_per_second").value_or(0));
  figures.latency = histogram_from_json(object_at(object, "latency"));
  return figures;
}

}  // namespace

json::object to_json(const SweepResult& result) {
  json::object object = ending_json(result);
  object["direction"] = to_string(result.direction);
  object["path"] = to_string(result.path);
  object["by_size"] = points_json(result.by_size);
  object["by_in_flight"] = points_json(result.by_in_flight);
  put(object, "latency", result.latency);
  put(object, "bandwidth", result.bandwidth);
  object["notes"] = to_json(result.notes);
  return object;
}

SweepResult sweep_result_from_json(const json::object& object) {
  SweepResult result;
  read_ending(object, result);
  result.direction =
      direction_from_text(text_at(object, "direction").value_or("")).value_or(measure::Direction::read);
  if (text_at(object, "path") == "buffered") result.path = filebench::ReadPath::buffered;
  result.by_size = points_from(array_at(object, "by_size"));
  result.by_in_flight = points_from(array_at(object, "by_in_flight"));
  result.latency = seconds_at(object, "latency");
  result.bandwidth = rate_at(object, "bandwidth");
  return result;
}

json::object to_json(const SmallFilesResult& result) {
  json::object object = ending_json(result);
  object["files"] = result.files;
  object["threads"] = result.threads;
  object["fsync"] = result.fsync;
  put(object, "file_size", result.file_size);
  json::array operations;
  for (const OperationFigures& figures : result.operations) operations.push_back(figures_json(figures));
  object["operations"] = std::move(operations);
  if (result.counters) object["counters"] = to_json(*result.counters);
  object["notes"] = to_json(result.notes);
  return object;
}

SmallFilesResult small_files_result_from_json(const json::object& object) {
  SmallFilesResult result;
  read_ending(object, result);
  result.files = count_at(object, "files");
  result.threads = count_at(object, "threads");
  result.fsync = bool_at(object, "fsync").value_or(false);
  result.file_size = bytes_at(object, "file_size").value_or(ByteCount());
  for (const json::value& value : array_at(object, "operations"))
    if (value.is_object()) result.operations.push_back(figures_from(value.get_object()));
  return result;
}

json::object to_json(const ListingResult& result) {
  json::object object = ending_json(result);
  object["entries"] = result.entries;
  put(object, "names_time", result.names_time);
  put(object, "attributes_time", result.attributes_time);
  if (result.counters) object["counters"] = to_json(*result.counters);
  object["notes"] = to_json(result.notes);
  return object;
}

ListingResult listing_result_from_json(const json::object& object) {
  ListingResult result;
  read_ending(object, result);
  result.entries = count_at(object, "entries");
  result.names_time = time_at(object, "names_time");
  result.attributes_time = time_at(object, "attributes_time");
  return result;
}

json::object to_json(const CommitResult& result) {
  json::object object = ending_json(result);
  object["commits"] = figures_json(result.commits);
  if (result.counters) object["counters"] = to_json(*result.counters);
  object["notes"] = to_json(result.notes);
  return object;
}

CommitResult commit_result_from_json(const json::object& object) {
  CommitResult result;
  read_ending(object, result);
  result.commits = figures_from(object_at(object, "commits"));
  return result;
}

}  // namespace nasdiag::report
