#pragma once

// JSON text as nasdiag writes and reads it: indented by two spaces, numbers finite (NaN and infinity become
// null), short arrays of plain values on one line so that series stay readable.

#include <boost/json.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace nasdiag::report {

std::string json_text(const boost::json::value& value);  // ends with a newline
std::string json_line(const boost::json::value& value);  // one line, no newline at the end

inline constexpr std::size_t kLargestJsonFile = std::size_t{256} * 1024 * 1024;

// Throws std::system_error if the file can't be read or is larger than kLargestJsonFile, std::runtime_error
// with file name and position if it isn't JSON (or nests deeper than 32 levels).
boost::json::value read_json_file(const std::filesystem::path& file);
// The same of a text; `source` names it in the message.
boost::json::value parse_json(std::string_view text, const std::string& source);
// "-" is standard output. A file is written beside its place and renamed, so that an old one is never half
// overwritten. Throws std::system_error.
void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace nasdiag::report
