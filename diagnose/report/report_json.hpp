#pragma once

// The saved report: writing and reading. Key names stay; what is new is added beside them.

#include <diagnose/report/report.hpp>

#include <boost/json.hpp>

#include <filesystem>

namespace nasdiag::report {

inline constexpr std::string_view kFormatName = "nasdiag-report";
inline constexpr int kFormatVersion = 1;

boost::json::object to_json(const Report& report);

// The verdict is decided again from the evidence, by today's rules. Throws std::runtime_error, naming the
// file and what is wrong with it, if it isn't a report or of a newer format.
Report read_report(const std::filesystem::path& file);
// `source` is what to call it in errors.
Report report_from_json(const boost::json::value& value, const std::string& source);

}  // namespace nasdiag::report
