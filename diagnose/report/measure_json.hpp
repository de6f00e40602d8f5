#pragma once

// The measuring vocabulary in saved reports, and how a field is written and read anywhere in them.
//
// Keys carry their unit: _bits_per_second, _bytes, _seconds, _ns. Reading is forgiving: a key that is missing
// or has the wrong type counts as absent, so newer and older files can be read; unknown keys are ignored.
//
// Convention for every other *_json.hpp here: `boost::json::object to_json(const T&)` and
// `T NAME_from_json(const boost::json::object&)`, side by side in one file.

#include <measure/change_point.hpp>
#include <measure/latency_histogram.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <measure/sample_series.hpp>
#include <measure/steady_state.hpp>
#include <measure/summary.hpp>
#include <measure/trend.hpp>

#include <boost/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::report {

// Reading one field.
std::optional<double> number_at(const boost::json::object& object, std::string_view key);
std::optional<std::int64_t> integer_at(const boost::json::object& object, std::string_view key);
std::optional<std::string> text_at(const boost::json::object& object, std::string_view key);
std::optional<bool> bool_at(const boost::json::object& object, std::string_view key);
// An empty one if there is none.
const boost::json::object& object_at(const boost::json::object& object, std::string_view key);
const boost::json::array& array_at(const boost::json::object& object, std::string_view key);
bool has_object(const boost::json::object& object, std::string_view key);
std::vector<std::string> texts_at(const boost::json::object& object, std::string_view key);

// The value whose to_string is this text, or the first one.
template <class Enum, std::size_t N>
Enum enum_from(std::string_view text, const std::array<Enum, N>& values) {
  for (const Enum value : values)
    if (to_string(value) == text) return value;
  return values.front();
}

// KEY_bits_per_second, KEY_bytes, KEY_seconds: the suffix is added here. Absent or null: no value.
std::optional<measure::DataRate> rate_at(const boost::json::object& object, const std::string& key);
std::optional<measure::ByteCount> bytes_at(const boost::json::object& object, const std::string& key);
std::optional<measure::Seconds> seconds_at(const boost::json::object& object, const std::string& key);
void put(boost::json::object& object, const std::string& key, measure::DataRate rate);
void put(boost::json::object& object, const std::string& key, measure::ByteCount amount);
void put(boost::json::object& object, const std::string& key, measure::Seconds time);
template <class T>
void put(boost::json::object& object, const std::string& key, const std::optional<T>& value) {
  if (value) put(object, key, *value);
}

boost::json::array to_json(const measure::Notes& notes);
measure::Notes notes_from_json(const boost::json::array& array);

// One [start_seconds, length_seconds, bytes] per sample.
boost::json::array to_json(const measure::SampleSeries& series);
measure::SampleSeries series_from_json(const boost::json::array& array);

boost::json::object to_json(const measure::Summary& summary);
measure::Summary summary_from_json(const boost::json::object& object);

boost::json::object to_json(const measure::Precision& precision);
measure::Precision precision_from_json(const boost::json::object& object);

boost::json::object to_json(const measure::Trend& trend);
measure::Trend trend_from_json(const boost::json::object& object);

boost::json::array to_json(const std::vector<measure::ChangePoint>& points);
std::vector<measure::ChangePoint> change_points_from_json(const boost::json::array& array);

// Exact min, mean, max beside the usual percentiles and the non-empty buckets as [ns, count].
boost::json::object to_json(const measure::LatencyHistogram& histogram);
measure::LatencyHistogram histogram_from_json(const boost::json::object& object);

std::optional<measure::Direction> direction_from_text(std::string_view text);

}  // namespace nasdiag::report
