#pragma once

// Optional fields and lists of one type, written and read in one line each.

#include "diagnose/report/measure_json.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace nasdiag::report {

// Absent stays absent.
template <class T>
void set(boost::json::object& object, std::string_view key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class Integer = int>
std::optional<Integer> whole_at(const boost::json::object& object, std::string_view key) {
  const auto value = integer_at(object, key);
  if (!value) return std::nullopt;
  return static_cast<Integer>(*value);
}

// Every element through a function of its own.
template <class T, class Write>
boost::json::array list_to_json(const std::vector<T>& values, Write write) {
  boost::json::array array;
  array.reserve(values.size());
  for (const T& value : values) array.push_back(write(value));
  return array;
}

// Elements that are no objects are left out.
template <class Read>
auto list_from_json(const boost::json::object& object, std::string_view key, Read read) {
  std::vector<decltype(read(object))> values;
  for (const boost::json::value& value : array_at(object, key)) {
    if (value.is_object()) values.push_back(read(value.get_object()));
  }
  return values;
}

inline boost::json::array texts_to_json(const std::vector<std::string>& texts) {
  return list_to_json(texts, [](const std::string& text) { return boost::json::value(text); });
}

// Of an enumeration whose values have names; an unknown name gives the last of them.
template <class Enum, std::size_t count>
Enum named_at(const boost::json::object& object, std::string_view key, const Enum (&values)[count]) {
  const auto name = text_at(object, key);
  for (const Enum value : values) {
    if (name && *name == to_string(value)) return value;
  }
  return values[count - 1];
}

}  // namespace nasdiag::report
