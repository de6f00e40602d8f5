#include "nasdiag/diagnose_command.hpp"

#include "nasdiag/command_line.hpp"
#include "nasdiag/diagnose_options.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/formats/given_evidence.hpp>
#include <diagnose/history/history.hpp>
#include <diagnose/report/report.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace nasdiag::app {

namespace {

constexpr Help kHelp{
    .usage = "nasdiag diagnose [FILE…] [figures]",
    .description =
        "Says which layer limits, from figures that exist already. A FILE is a saved report (or the label\n"
        "of a run), what `iperf3 -J` or `fio --output-format=json` wrote, or pasted text of iperf3, iperf,\n"
        "rsync --progress, dd, fio, time sha1sum and top; - is standard input. Files and figures may be\n"
        "mixed; what is missing for a firmer answer is said. Read is from the NAS, write to it.",
    .examples =
        "  nasdiag diagnose report.json\n"
        "  nasdiag diagnose iperf3.json iperf3-reverse.json --nas fio-on-nas.json --file-read 62MB/s\n"
        "  iperf3 -c nas | nasdiag diagnose - --link 10Gbit\n"
        "  nasdiag diagnose --tcp-write 2.35Gbit --nas-disk-read 4273MB/s --file-read 62MB/s --mount-kind "
        "gvfs-smb\n"
        "  nasdiag diagnose --tcp-write 2.63Gbit --tcp-many-write 7Gbit --link 10Gbit --way routed\n"};

std::string whole(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

formats::Given read_given(const std::string& name, bool ran_on_nas) {
  if (name == "-") return {.name = "standard input", .text = whole(std::cin), .ran_on_nas = ran_on_nas};
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::exists(name, ignored)
                                         ? std::filesystem::path(name)
                                         : history::find(name, history::default_folder());
  if (std::filesystem::is_directory(file, ignored))
    throw UsageError(name + " is a folder; name a file with figures");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category(), "reading " + file.string());
  return {.name = name, .text = whole(in), .ran_on_nas = ran_on_nas};
}

std::vector<formats::Given> given_by(const po::variables_map& values) {
  std::vector<formats::Given> given;
  for (const auto& [option, on_nas] : {std::pair{"file", false}, std::pair{"nas", true}}) {
    if (values.count(option) == 0) continue;
    for (const std::string& name : values[option].as<std::vector<std::string>>())
      given.push_back(read_given(name, on_nas));
  }
  return given;
}

po::options_description options() {
  po::options_description options("Options", 100);
  options.add_options()("file", po::value<std::vector<std::string>>(),
                        "a file, as the words without a name are")(
      "nas", po::value<std::vector<std::string>>(), "a file whose disk figures were measured on the NAS")(
      "json", po::value<std::string>()->default_value(""), "save it as a report (-: stdout, and only that)");
  options.add(figure_options());
  return options;
}

}  // namespace

int diagnose_command(const std::vector<std::string>& arguments) {
  po::positional_options_description positional;
  positional.add("file", -1);
  const auto parsed = parse_options(arguments, options(), positional, kHelp);
  if (parsed.help_shown) return kDone;
  if (arguments.empty())
    throw UsageError("diagnose needs a file or a figure\nUsage: " + std::string(kHelp.usage) +
                     "      nasdiag diagnose --help");
  const std::string json_file = parsed.values["json"].as<std::string>();
  check_writable(json_file);
  const formats::HandFigures figures = figures_of(parsed.values);
  evidence::Evidence evidence = formats::evidence_of_given(given_by(parsed.values));
  if (evidence.nasdiag_version.empty()) evidence.nasdiag_version = NASDIAG_VERSION;
  formats::add_hand_figures(figures, evidence);
  const report::Report report = report::make_report(std::move(evidence));
  deliver(report, json_file);
  return exit_code_of(report);
}

}  // namespace nasdiag::app
