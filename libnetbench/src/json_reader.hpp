#pragma once

// A JSON object from a peer, read with bounds and without trust.

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nasdiag::netbench {

// Nothing unless the text is one object, nested at most 16 deep.
std::optional<boost::json::object> parse_object(std::string_view text);

// Integers may come as 5, 5.0, 5e0, or as 2^64 - 1 for -1 (iperf3 3.12). Nothing for other types, null, NaN.
std::optional<std::int64_t> as_integer(const boost::json::value& value);
std::optional<double> as_number(const boost::json::value& value);

// Reads members of one object and remembers whether any had the wrong type.
class JsonReader {
 public:
  explicit JsonReader(const boost::json::object& object) : object_(object) {}

  std::int64_t integer(std::string_view key, std::int64_t missing);
  double number(std::string_view key, double missing);
  bool flag(std::string_view key);  // true, or a number other than 0
  std::string text(std::string_view key);
  bool has(std::string_view key) const { return object_.contains(key); }
  bool wrong_type() const { return wrong_type_; }

 private:
  const boost::json::object& object_;
  bool wrong_type_ = false;
};

}  // namespace nasdiag::netbench
