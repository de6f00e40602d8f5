#include "diagnose/report/measure_json.hpp"

#include <cmath>

namespace nasdiag::report {

namespace json = boost::json;
using measure::ByteCount;
using measure::ChangePoint;
using measure::DataRate;
using measure::LatencyHistogram;
using measure::Note;
using measure::Precision;
using measure::RateSample;
using measure::Seconds;
using measure::Severity;
using measure::Summary;
using measure::Trend;

namespace {

const json::value* find(const json::object& object, std::string_view key) { return object.if_contains(key); }

std::optional<double> number_of(const json::value& value) {
  if (const auto* n = value.if_double()) return *n;
  if (const auto* n = value.if_int64()) return static_cast<double>(*n);
  if (const auto* n = value.if_uint64()) return static_cast<double>(*n);
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const json::value& value) {
  if (const auto* n = value.if_int64()) return *n;
  const auto number = number_of(value);
  constexpr double kLimit = 9.2e18;
  if (!number || std::isnan(*number) || std::abs(*number) > kLimit) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(*number));
}

std::size_t size_at(const json::object& object, std::string_view key) {
  const auto number = integer_at(object, key);
  return number && *number > 0 ? static_cast<std::size_t>(*number) : 0;
}

Severity severity_from_text(std::string_view text) {
  if (text == "warning") return Severity::warning;
  if (text == "void") return Severity::void_;
  return Severity::info;
}

}  // namespace

std::optional<double> number_at(const json::object& object, std::string_view key) {
  const json::value* value = find(object, key);
  return value != nullptr ? number_of(*value) : std::nullopt;
}

std::optional<std::int64_t> integer_at(const json::object& object, std::string_view key) {
  const json::value* value = find(object, key);
  return value != nullptr ? integer_of(*value) : std::nullopt;
}

std::optional<std::string> text_at(const json::object& object, std::string_view key) {
  const json::value* value = find(object, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string().c_str(), value->get_string().size());
}

std::optional<bool> bool_at(const json::object& object, std::string_view key) {
  const json::value* value = find(object, key);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}

const json::object& object_at(const json::object& object, std::string_view key) {
  static const json::object kEmpty;
  const json::value* value = find(object, key);
  return value != nullptr && value->is_object() ? value->get_object() : kEmpty;
}

const json::array& array_at(const json::object& object, std::string_view key) {
  static const json::array kEmpty;
  const json::value* value = find(object, key);
  return value != nullptr && value->is_array() ? value->get_array() : kEmpty;
}

bool has_object(const json::object& object, std::string_view key) {
  const json::value* value = find(object, key);
  return value != nullptr && value->is_object();
}

std::vector<std::string> texts_at(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const json::value& element : array_at(object, key))
    if (element.is_string()) texts.emplace_back(element.get_string().c_str(), element.get_string().size());
  return texts;
}

std::optional<DataRate> rate_at(const json::object& object, const std::string& key) {
  const auto number = number_at(object, key + "_bits_per_second");
  if (!number) return std::nullopt;
  return DataRate::bits_per_second(*number);
}

std::optional<ByteCount> bytes_at(const json::object& object, const std::string& key) {
  const auto number = integer_at(object, key + "_bytes");
  if (!number) return std::nullopt;
  return ByteCount::bytes(*number);
}

std::optional<Seconds> seconds_at(const json::object& object, const std::string& key) {
  const auto number = number_at(object, key + "_seconds");
  if (!number) return std::nullopt;
  return Seconds(*number);
}

void put(json::object& object, const std::string& key, DataRate rate) {
  object[key + "_bits_per_second"] = rate.bits_per_second();
}

void put(json::object& object, const std::string& key, ByteCount amount) {
  object[key + "_bytes"] = amount.bytes();
}

void put(json::object& object, const std::string& key, Seconds time) {
  object[key + "_seconds"] = time.count();
}

json::array to_json(const measure::Notes& notes) {
  json::array array;
  for (const Note& note : notes)
    array.push_back(
        json::object{{"code", note.code}, {"severity", to_string(note.severity)}, {"text", note.text}});
  return array;
}

measure::Notes notes_from_json(const json::array& array) {
  measure::Notes notes;
  for (const json::value& element : array) {
    if (!element.is_object()) continue;
    const json::object& object = element.get_object();
    notes.push_back({.code = text_at(object, "code").value_or(""),
                     .severity = severity_from_text(text_at(object, "severity").value_or("")),
                     .text = text_at(object, "text").value_or("")});
  }
  return notes;
}

json::array to_json(const measure::SampleSeries& series) {
  json::array array;
  for (const RateSample& sample : series)
    array.push_back(json::array{sample.start.count(), sample.length.count(), sample.amount.bytes()});
  return array;
}

measure::SampleSeries series_from_json(const json::array& array) {
  measure::SampleSeries series;
  for (const json::value& element : array) {
    if (!element.is_array() || element.get_array().size() < 3) continue;
    const json::array& row = element.get_array();
    const auto start = number_of(row[0]);
    const auto length = number_of(row[1]);
    const auto bytes = integer_of(row[2]);
    if (start && length && bytes)
      series.push_back({Seconds(*start), Seconds(*length), ByteCount::bytes(*bytes)});
  }
  return series;
}

json::object to_json(const Summary& summary) {
  return {{"count", summary.count},
          {"min", summary.min},
          {"median", summary.median},
          {"mean", summary.mean},
          {"standard_deviation", summary.standard_deviation},
          {"max", summary.max}};
}

Summary summary_from_json(const json::object& object) {
  return {.count = size_at(object, "count"),
          .min = number_at(object, "min").value_or(0),
          .median = number_at(object, "median").value_or(0),
          .mean = number_at(object, "mean").value_or(0),
          .standard_deviation = number_at(object, "standard_deviation").value_or(0),
          .max = number_at(object, "max").value_or(0)};
}

json::object to_json(const Precision& precision) {
  json::object object;
  put(object, "mean", precision.mean);
  put(object, "half_width_95", precision.half_width);
  object["first_sample"] = precision.first_sample;
  object["samples"] = precision.samples;
  return object;
}

Precision precision_from_json(const json::object& object) {
  return {.mean = rate_at(object, "mean").value_or(DataRate()),
          .half_width = rate_at(object, "half_width_95").value_or(DataRate()),
          .first_sample = size_at(object, "first_sample"),
          .samples = size_at(object, "samples")};
}

json::object to_json(const Trend& trend) {
  return {{"relative_change", trend.relative_change}, {"p_value", trend.p_value}};
}

Trend trend_from_json(const json::object& object) {
  return {.relative_change = number_at(object, "relative_change").value_or(0),
          .p_value = number_at(object, "p_value").value_or(1)};
}

json::array to_json(const std::vector<ChangePoint>& points) {
  json::array array;
  for (const ChangePoint& point : points) {
    json::object object{{"sample", point.sample}};
    put(object, "time", point.time);
    put(object, "moved_before", point.moved_before);
    put(object, "before", point.before);
    put(object, "after", point.after);
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<ChangePoint> change_points_from_json(const json::array& array) {
  std::vector<ChangePoint> points;
  for (const json::value& element : array) {
    if (!element.is_object()) continue;
    const json::object& object = element.get_object();
    points.push_back({.sample = size_at(object, "sample"),
                      .time = seconds_at(object, "time").value_or(Seconds(0)),
                      .moved_before = bytes_at(object, "moved_before").value_or(ByteCount()),
                      .before = rate_at(object, "before").value_or(DataRate()),
                      .after = rate_at(object, "after").value_or(DataRate())});
  }
  return points;
}

json::object to_json(const LatencyHistogram& histogram) {
  json::object object{{"count", histogram.count()}};
  if (histogram.count() == 0) return object;
  object["min_ns"] = histogram.min()->count();
  object["mean_ns"] = histogram.mean()->count();
  object["max_ns"] = histogram.max()->count();
  for (const auto& [name, q] : {std::pair{"p50_ns", 0.5},
                                {"p90_ns", 0.9},
                                {"p99_ns", 0.99},
                                {"p99_9_ns", 0.999},
                                {"p99_99_ns", 0.9999}})
    object[name] = histogram.quantile(q)->count();
  json::array buckets;
  for (const auto& bucket : histogram.non_empty_buckets())
    buckets.push_back(json::array{bucket.value.count(), bucket.count});
  object["buckets"] = std::move(buckets);
  return object;
}

LatencyHistogram histogram_from_json(const json::object& object) {
  std::vector<LatencyHistogram::Bucket> buckets;
  for (const json::value& element : array_at(object, "buckets")) {
    if (!element.is_array() || element.get_array().size() < 2) continue;
    const auto value = integer_of(element.get_array()[0]);
    const auto count = integer_of(element.get_array()[1]);
    if (value && count && *value >= 0 && *count > 0)
      buckets.push_back({std::chrono::nanoseconds(*value), static_cast<std::uint64_t>(*count)});
  }
  return LatencyHistogram::from_buckets(buckets);
}

std::optional<measure::Direction> direction_from_text(std::string_view text) {
  if (text == "write") return measure::Direction::write;
  if (text == "read") return measure::Direction::read;
  return std::nullopt;
}

}  // namespace nasdiag::report
