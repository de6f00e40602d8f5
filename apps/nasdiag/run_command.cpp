#include "nasdiag/run_command.hpp"

#include "nasdiag/interrupt.hpp"
#include "nasdiag/live_progress.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/history/history.hpp>
#include <diagnose/plan/plan.hpp>
#include <diagnose/plan/runner.hpp>
#include <measure/quantity_text.hpp>

#include <spdlog/spdlog.h>

#include <exception>

namespace nasdiag::app {

namespace {

constexpr int kIperfPort = 5201;

constexpr Help kHelp{
    .usage = "nasdiag run --server HOST[:PORT] --mount DIR [options]",
    .description =
        "Measures network, local disk and files over the mount, and says which layer limits copies\n"
        "to and from the NAS. The network needs an iperf3 server on the NAS (`iperf3 -s`); without\n"
        "--server, or without --mount, the rest is still measured. Files are made in fresh folders\n"
        "named .nasdiag-… and removed again.",
    .examples =
        "  nasdiag run --server nas --mount /home/nfs/dan\n"
        "  nasdiag run --server 192.168.1.20:5201 --mount /mnt/nas --local /data --label \"before 10G NIC\"\n"
        "  nasdiag run --server nas --mount /mnt/nas --quick --json report.json\n"};

po::options_description options() {
  po::options_description options("Options", 100);
  options.add_options()("server", po::value<std::string>(),
                        "host (and port) where `iperf3 -s` or `nasdiag serve` runs")(
      "mount", po::value<std::string>(), "a folder on the mounted share that you may write to")(
      "local", po::value<std::string>(),
      "a folder on this computer's disk to copy from and to (default: your home folder)")(
      "label", po::value<std::string>()->default_value(""),
      "name to find this report by, for `nasdiag compare`")(
      "json", po::value<std::string>()->default_value(""),
      "save the report with all samples (-: stdout, and only that)")(
      "quick", po::bool_switch(), "20 seconds instead of 60")("thorough", po::bool_switch(),
                                                              "5 minutes instead of 60 seconds")(
      "budget", po::value<std::string>(), "another time, such as 90s or 2m (10 s to 1 h)");
  return options;
}

measure::Seconds budget_of(const po::variables_map& values) {
  const bool quick = values["quick"].as<bool>();
  const bool thorough = values["thorough"].as<bool>();
  if ((quick ? 1 : 0) + (thorough ? 1 : 0) + (values.count("budget") != 0 ? 1 : 0) > 1)
    throw UsageError("--quick, --thorough and --budget exclude each other: give one");
  if (quick) return plan::kQuickBudget;
  if (thorough) return plan::kThoroughBudget;
  if (values.count("budget") == 0) return plan::kDefaultBudget;
  const std::string text = values["budget"].as<std::string>();
  const auto budget = measure::parse_duration(text);
  if (!budget || *budget < std::chrono::seconds(10) || *budget > std::chrono::hours(1))
    throw UsageError("--budget '" + text + "' is not a time between 10s and 1h");
  return *budget;
}

evidence::RunSettings settings_of(const po::variables_map& values) {
  evidence::RunSettings settings;
  if (values.count("server") != 0) {
    const HostPort server = parse_host_port(values["server"].as<std::string>(), kIperfPort);
    settings.server = server.host;
    settings.port = server.port;
  }
  if (values.count("mount") != 0) settings.mount_folder = values["mount"].as<std::string>();
  if (values.count("local") != 0) settings.local_folder = values["local"].as<std::string>();
  if (settings.server.empty() && settings.mount_folder.empty())
    throw UsageError("there is nothing to measure: give --server HOST, --mount DIR, or best both\nUsage: " +
                     std::string(kHelp.usage));
  settings.budget = budget_of(values);
  return settings;
}

evidence::Evidence measure_with_progress(const plan::RunRequest& request, const Interrupt& interrupt) {
  LiveProgress progress;
  return plan::run(request, progress, interrupt.token());
}

// A label is for finding the report again; failing to keep it must not lose the report itself.
void keep_if_labelled(const report::Report& report) {
  if (report.evidence.label.empty()) return;
  try {
    history::save(report, history::default_folder());
  } catch (const std::exception& error) {
    spdlog::warn("the report could not be kept under its label: {}; use --json FILE", error.what());
  }
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments, options(), {}, kHelp);
  if (parsed.help_shown) return kDone;
  const std::string json_file = parsed.values["json"].as<std::string>();
  const plan::RunRequest request{.settings = settings_of(parsed.values),
                                 .label = parsed.values["label"].as<std::string>(),
                                 .nasdiag_version = NASDIAG_VERSION};
  check_writable(json_file);

  const Interrupt interrupt;
  const report::Report report = report::make_report(measure_with_progress(request, interrupt));
  keep_if_labelled(report);
  deliver(report, json_file);
  return exit_code_of(report);
}

}  // namespace nasdiag::app
