#include "nasdiag/show_command.hpp"

#include "nasdiag/command_line.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/history/history.hpp>
#include <diagnose/report/report_json.hpp>

namespace nasdiag::app {

int show_command(const std::vector<std::string>& arguments) {
  constexpr Help kHelp{.usage = "nasdiag show REPORT [--json FILE]",
                       .description =
                           "Shows a saved report, a file or the label of a run; the verdict is decided again "
                           "by today's rules.",
                       .examples = "  nasdiag show \"before 10G NIC\"\n  nasdiag show report.json\n"};
  po::options_description options("Options");
  options.add_options()("report", po::value<std::string>(), "file or label")(
      "json", po::value<std::string>()->default_value(""), "write it as JSON (-: stdout, and only that)");
  po::positional_options_description positional;
  positional.add("report", 1);
  const auto parsed = parse_options(arguments, options, positional, kHelp);
  if (parsed.help_shown) return kDone;
  if (parsed.values.count("report") == 0)
    throw UsageError("show needs a report\nUsage: " + std::string(kHelp.usage));
  const std::string name = parsed.values["report"].as<std::string>();
  const std::string json_file = parsed.values["json"].as<std::string>();
  check_writable(json_file);
  deliver(report::read_report(history::find(name, history::default_folder())), json_file);
  return kDone;
}

}  // namespace nasdiag::app
