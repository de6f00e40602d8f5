#pragma once

#include <diagnose/report/report.hpp>
#include <diagnose/report/text_layout.hpp>

#include <string>

namespace nasdiag::report {

// The report for people: what was measured between what, a table of layers and directions, the verdict of
// each direction with evidence, advice and what comes next, and what could not be measured.
std::string report_text(const Report& report, const TextStyle& style);

// One line: "write: the link limits at 941 Mbit/s (117.6 MB/s), certain".
std::string verdict_line(const Report& report, measure::Direction direction);

}  // namespace nasdiag::report
