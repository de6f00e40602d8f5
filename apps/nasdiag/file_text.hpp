#pragma once

#include "nasdiag/file_experiments.hpp"

#include <diagnose/report/text_layout.hpp>

#include <boost/json.hpp>

#include <string>

namespace nasdiag::app {

std::string file_report_text(const FileReport& report, const report::TextStyle& style);
boost::json::object file_report_json(const FileReport& report);

}  // namespace nasdiag::app
