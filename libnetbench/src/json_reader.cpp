#include "json_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cmath>
#include <limits>

namespace nasdiag::netbench {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr std::size_t kDeepest = 16;

}  // namespace

std::optional<boost::json::object> parse_object(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kDeepest;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(text, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.as_object());
}

std::optional<std::int64_t> as_integer(const boost::json::value& value) {
  if (const std::int64_t* number = value.if_int64()) return *number;
  // Above 2^63: a negative number that an unsigned format printed.
  if (const std::uint64_t* number = value.if_uint64()) return static_cast<std::int64_t>(*number);
  if (const double* number = value.if_double()) {
    if (!std::isfinite(*number)) return std::nullopt;
    if (*number >= kTwoTo63) return *number <= 2 * kTwoTo63 ? std::optional<std::int64_t>(-1) : std::nullopt;
    if (*number < -kTwoTo63) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

std::optional<double> as_number(const boost::json::value& value) {
  if (const double* number = value.if_double())
    return std::isfinite(*number) ? std::optional(*number) : std::nullopt;
  if (const auto number = as_integer(value)) return static_cast<double>(*number);
  return std::nullopt;
}

std::int64_t JsonReader::integer(std::string_view key, std::int64_t missing) {
  const boost::json::value* value = object_.if_contains(key);
  if (value == nullptr) return missing;
  if (const auto number = as_integer(*value)) return *number;
  wrong_type_ = true;
  return missing;
}

double JsonReader::number(std::string_view key, double missing) {
  const boost::json::value* value = object_.if_contains(key);
  if (value == nullptr || value->is_null()) return missing;  // null is how iperf3 prints NaN
  if (const auto number = as_number(*value)) return *number;
  wrong_type_ = true;
  return missing;
}

bool JsonReader::flag(std::string_view key) {
  const boost::json::value* value = object_.if_contains(key);
  if (value == nullptr) return false;
  if (const bool* flag = value->if_bool()) return *flag;
  if (const auto number = as_integer(*value)) return *number != 0;
  wrong_type_ = true;
  return false;
}

std::string JsonReader::text(std::string_view key) {
  const boost::json::value* value = object_.if_contains(key);
  if (value == nullptr) return {};
  if (const boost::json::string* text = value->if_string()) return std::string(text->begin(), text->end());
  wrong_type_ = true;
  return {};
}

}  // namespace nasdiag::netbench
