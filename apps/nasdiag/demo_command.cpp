#include "nasdiag/demo_command.hpp"

#include "nasdiag/interrupt.hpp"
#include "nasdiag/live_progress.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/plan/runner.hpp>
#include <measure/scratch_folder.hpp>
#include <netbench/server.hpp>

namespace nasdiag::app {

namespace {

constexpr Help kHelp{
    .usage = "nasdiag demo [--json FILE]",
    .description =
        "Runs the whole measurement against a server of its own on the loopback interface and a temporary\n"
        "folder in place of a mount. Shows what a report looks like; says nothing about any NAS.\n"
        "Takes 20 seconds at most.",
    .examples = ""};

// The measuring itself; connecting, facts and cleaning up come on top and stay within the 20 seconds.
constexpr measure::Seconds kBudget{14};

}  // namespace

int demo_command(const std::vector<std::string>& arguments) {
  po::options_description options("Options");
  options.add_options()("json", po::value<std::string>()->default_value(""),
                        "save the report (-: stdout, and only that)");
  const auto parsed = parse_options(arguments, options, {}, kHelp);
  if (parsed.help_shown) return kDone;
  const std::string json_file = parsed.values["json"].as<std::string>();
  check_writable(json_file);

  const Interrupt interrupt;
  const netbench::Server server({.bind_address = "127.0.0.1", .port = 0});
  const std::string local = plan::default_local_folder();
  measure::remove_stale_scratch_folders(local);
  const measure::ScratchFolder in_place_of_mount(local);
  const plan::RunRequest request{.settings = {.server = "127.0.0.1",
                                              .port = server.port(),
                                              .mount_folder = in_place_of_mount.path(),
                                              .local_folder = local,
                                              .budget = kBudget,
                                              .demo = true},
                                 .label = "demo",
                                 .nasdiag_version = NASDIAG_VERSION};
  const report::Report report = [&] {
    LiveProgress progress;
    return report::make_report(plan::run(request, progress, interrupt.token()));
  }();
  deliver(report, json_file);
  return exit_code_of(report);
}

}  // namespace nasdiag::app
