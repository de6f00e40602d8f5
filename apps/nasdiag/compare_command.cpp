#include "nasdiag/compare_command.hpp"

#include "nasdiag/command_line.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/history/history.hpp>
#include <diagnose/report/comparison.hpp>
#include <diagnose/report/json_text.hpp>
#include <diagnose/report/report_json.hpp>

#include <charconv>
#include <iostream>

namespace nasdiag::app {

namespace {

constexpr Help kHelp{.usage = "nasdiag compare BEFORE AFTER [options]",
                     .description =
                         "Compares two reports: files saved with --json, or the labels of runs. Says what "
                         "else changed between\n"
                         "them, how each figure changed, and both verdicts.",
                     .examples =
                         "  nasdiag compare before.json after.json\n"
                         "  nasdiag compare \"before 10G NIC\" \"after 10G NIC\"\n"
                         "  nasdiag compare last-week.json today.json --fail-if-slower 10%\n"};

constexpr double kNever = 2;  // more than all

double share_of(std::string text) {
  if (text == "never") return kNever;
  if (text.ends_with('%')) text.pop_back();
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || percent < 0 || percent > 100)
    throw UsageError("--fail-if-slower takes a percentage from 0% to 100%, not '" + text + "'");
  return percent / 100;
}

report::Report report_named(const std::string& name) {
  // Without a home folder files can still be compared.
  std::filesystem::path folder;
  try {
    folder = history::default_folder();
  } catch (const std::runtime_error&) {
    folder.clear();
  }
  return report::read_report(history::find(name, folder));
}

}  // namespace

int compare_command(const std::vector<std::string>& arguments) {
  po::options_description options("Options");
  options.add_options()("reports", po::value<std::vector<std::string>>(), "the two reports: files or labels")(
      "json", po::value<std::string>()->default_value(""), "save the comparison (-: stdout, and only that)")(
      "fail-if-slower", po::value<std::string>()->default_value("never"),
      "exit with 4 if a copy became slower by more than this, such as 10%");
  po::positional_options_description positional;
  positional.add("reports", 2);
  const auto parsed = parse_options(arguments, options, positional, kHelp);
  if (parsed.help_shown) return kDone;
  if (parsed.values.count("reports") == 0 ||
      parsed.values["reports"].as<std::vector<std::string>>().size() != 2)
    throw UsageError("compare needs two reports, BEFORE and AFTER\nUsage: " + std::string(kHelp.usage));
  const std::string json_file = parsed.values["json"].as<std::string>();
  check_writable(json_file);
  const double limit = share_of(parsed.values["fail-if-slower"].as<std::string>());

  const auto& names = parsed.values["reports"].as<std::vector<std::string>>();
  const report::Report before = report_named(names[0]);
  const report::Report after = report_named(names[1]);
  const report::Comparison comparison = report::compare(before, after);
  if (!json_file.empty())
    report::write_text_file(json_file, report::json_text(to_json(comparison, before, after)));
  if (json_file != "-")
    std::cout << comparison_text(comparison, before, after, style_of_stdout()) << std::flush;
  return limit < kNever && report::slower_by(comparison, limit) ? kSlower : kDone;
}

}  // namespace nasdiag::app
