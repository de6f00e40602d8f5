#pragma once

// Reports kept between runs, one file each, so that `compare "before" "after"` finds them by their label.

#include <diagnose/report/report.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace nasdiag::history {

struct Entry {
  std::filesystem::path file;
  std::string label;
  std::string started_at;
  bool operator==(const Entry&) const = default;
};

// $XDG_STATE_HOME/nasdiag/reports, or ~/.local/state/nasdiag/reports. Throws std::runtime_error without a
// home.
std::filesystem::path default_folder();

// Makes the folder if need be. Returns the file, named by time and label; never replaces one. Throws
// std::system_error.
std::filesystem::path save(const report::Report& report, const std::filesystem::path& folder);

// Oldest first. Files that are no reports are left out; no folder: none.
std::vector<Entry> list(const std::filesystem::path& folder);

// A file if there is one of that name, else the newest report with that label. Throws std::runtime_error that
// says what was looked for and which labels there are.
std::filesystem::path find(const std::string& name_or_label, const std::filesystem::path& folder);

}  // namespace nasdiag::history
