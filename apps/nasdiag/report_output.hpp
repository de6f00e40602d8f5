#pragma once

// What run, demo and show do with a finished report.

#include "nasdiag/command_line.hpp"

#include <diagnose/report/report.hpp>
#include <diagnose/report/text_layout.hpp>

#include <string>

namespace nasdiag::app {

// Style of standard output as it is: width and colour of the terminal, 80 columns without colour elsewhere.
report::TextStyle style_of_stdout();

// Refuses a file that could not be written after a minute of measuring. "-" and an empty name are fine.
// Throws UsageError.
void check_writable(const std::string& file);

// Writes JSON if a file is named ("-": stdout, and then nothing else goes there), else or besides the text.
void deliver(const report::Report& report, const std::string& json_file);

// Done, a layer failed, nothing measured or interrupted.
ExitCode exit_code_of(const report::Report& report);

}  // namespace nasdiag::app
