#include "diagnose/history/history.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/measure_json.hpp>
#include <diagnose/report/report_json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <system_error>

namespace nasdiag::history {

namespace {

namespace fs = std::filesystem;

// Letters, digits and dashes of the label, so that people recognise the file.
std::string slug_of(const std::string& label) {
  constexpr std::size_t kLongest = 40;
  std::string slug;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!plain && !slug.empty() && slug.back() != '-') slug += '-';
    if (slug.size() >= kLongest) break;
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::string file_stem(const report::Report& report) {
  std::string stem;
  for (const char c : report.evidence.started_at)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) stem += c;
  const std::string slug = slug_of(report.evidence.label);
  return slug.empty() ? stem : stem + "-" + slug;
}

std::optional<Entry> entry_of(const fs::path& file) {
  try {
    const boost::json::value value = report::read_json_file(file);
    if (!value.is_object() || report::text_at(value.get_object(), "format") != report::kFormatName)
      return std::nullopt;
    return Entry{.file = file,
                 .label = report::text_at(value.get_object(), "label").value_or(""),
                 .started_at = report::text_at(value.get_object(), "started_at").value_or("")};
  } catch (const std::exception&) {
    return std::nullopt;  // damaged or unreadable: not one to offer
  }
}

std::string labels_text(const std::vector<Entry>& entries) {
  std::set<std::string> labels;
  for (const Entry& entry : entries)
    if (!entry.label.empty()) labels.insert("\"" + entry.label + "\"");
  if (labels.empty()) return "no report with a label has been saved yet: `nasdiag run … --label TEXT` does";
  std::string text = "the labels there are:";
  for (const std::string& label : labels) text += " " + label;
  return text;
}

}  // namespace

fs::path default_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "nasdiag" / "reports";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw std::runtime_error("neither HOME nor XDG_STATE_HOME is set: there is no place for saved reports");
  return fs::path(home) / ".local" / "state" / "nasdiag" / "reports";
}

fs::path save(const report::Report& report, const fs::path& folder) {
  fs::create_directories(folder);
  const std::string stem = file_stem(report);
  fs::path file = folder / (stem + ".json");
  for (int i = 2; fs::exists(file); ++i) file = folder / (stem + "-" + std::to_string(i) + ".json");
  report::write_text_file(file, report::json_text(report::to_json(report)));
  return file;
}

std::vector<Entry> list(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    if (auto entry = entry_of(it->path())) entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.started_at, a.file) < std::tie(b.started_at, b.file);
  });
  return entries;
}

fs::path find(const std::string& name_or_label, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(name_or_label, error)) return name_or_label;
  const std::vector<Entry> entries = list(folder);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    if (entry->label == name_or_label) return entry->file;
  throw std::runtime_error("\"" + name_or_label + "\" is neither a file nor the label of a saved report; " +
                           labels_text(entries));
}

}  // namespace nasdiag::history
