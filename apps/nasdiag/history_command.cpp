#include "nasdiag/history_command.hpp"

#include "nasdiag/command_line.hpp"

#include <diagnose/history/history.hpp>
#include <diagnose/report/text_layout.hpp>

#include <iostream>

namespace nasdiag::app {

int history_command(const std::vector<std::string>& arguments) {
  constexpr Help kHelp{
      .usage = "nasdiag history",
      .description = "Lists the reports that were kept under a label (`nasdiag run … --label TEXT`).",
      .examples = ""};
  const auto parsed = parse_options(arguments, po::options_description("Options"), {}, kHelp);
  if (parsed.help_shown) return kDone;
  const auto folder = history::default_folder();
  const auto entries = history::list(folder);
  if (entries.empty()) std::cout << "No report has been kept yet. `nasdiag run … --label TEXT` keeps one.\n";
  for (const auto& entry : entries)
    std::cout << entry.started_at << "  " << report::printable(entry.label) << "\n    " << entry.file.string()
              << '\n';
  return kDone;
}

}  // namespace nasdiag::app
