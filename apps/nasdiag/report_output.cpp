#include "nasdiag/report_output.hpp"

#include "nasdiag/terminal.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/report_json.hpp>
#include <diagnose/report/report_text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace nasdiag::app {

namespace {

constexpr int kNarrowest = 60;
constexpr int kWidest = 100;  // longer lines of prose are hard to read

}  // namespace

report::TextStyle style_of_stdout() {
  const int width = is_terminal(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 80;
  return {.width = std::clamp(width, kNarrowest, kWidest), .colour = wants_colour(STDOUT_FILENO)};
}

void check_writable(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.empty() || file == "-") return;
  const fs::path parent = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : fs::path(".");
  std::error_code error;
  if (fs::is_directory(file, error))
    throw UsageError(file + " is a folder; name a file to write the report to");
  const bool exists = fs::exists(file, error);
  if (::access(exists ? file.c_str() : parent.c_str(), W_OK) != 0)
    throw UsageError("the report could not be written to " + file + ": " + std::strerror(errno) +
                     "; name another file");
}

void deliver(const report::Report& report, const std::string& json_file) {
  if (!json_file.empty()) report::write_text_file(json_file, report::json_text(report::to_json(report)));
  if (json_file != "-") std::cout << report::report_text(report, style_of_stdout()) << std::flush;
}

ExitCode exit_code_of(const report::Report& report) {
  const auto& experiments = report.evidence.experiments;
  if (report.evidence.interrupted) return kInterrupted;
  const auto has_result = [](const evidence::Experiment& e) {
    return !std::holds_alternative<std::monostate>(e.result);
  };
  if (std::none_of(experiments.begin(), experiments.end(), has_result)) return kNothingMeasured;
  const auto failed = [](const evidence::Experiment& e) { return e.outcome == evidence::Outcome::failed; };
  return std::any_of(experiments.begin(), experiments.end(), failed) ? kLayerFailed : kDone;
}

}  // namespace nasdiag::app
