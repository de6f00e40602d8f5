// nasdiag: parse, dispatch, map errors to exit codes; nothing else.

#include "nasdiag/command_line.hpp"
#include "nasdiag/compare_command.hpp"
#include "nasdiag/demo_command.hpp"
#include "nasdiag/diagnose_command.hpp"
#include "nasdiag/disk_command.hpp"
#include "nasdiag/facts_command.hpp"
#include "nasdiag/file_command.hpp"
#include "nasdiag/history_command.hpp"
#include "nasdiag/net_command.hpp"
#include "nasdiag/run_command.hpp"
#include "nasdiag/serve_command.hpp"
#include "nasdiag/show_command.hpp"
#include "nasdiag/watch_command.hpp"

#include <filebench/worker.hpp>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using nasdiag::app::Command;

int show_version(const std::vector<std::string>&) {
  std::cout << "nasdiag " NASDIAG_VERSION "\n";
  return nasdiag::app::kDone;
}

// In the order of the overview.
constexpr std::array<Command, 13> kCommands{{
    {"run", "measure everything, say which layer limits", nasdiag::app::run_command},
    {"diagnose", "a verdict from figures you have already", nasdiag::app::diagnose_command},
    {"compare", "two reports: what changed, what limits now", nasdiag::app::compare_command},
    {"history", "reports kept under a label", nasdiag::app::history_command},
    {"show", "a saved report", nasdiag::app::show_command},
    {"net", "the network layer alone (takes iperf3's letters)", nasdiag::app::net_command},
    {"disk", "the disk layer alone", nasdiag::app::run_disk_command},
    {"file", "the mount alone: copies, small files, commits", nasdiag::app::file_command},
    {"facts", "what is there, before anything is measured", nasdiag::app::facts_command},
    {"watch", "what is full while your own copy runs", nasdiag::app::watch_command},
    {"serve", "an iperf3-compatible server", nasdiag::app::serve_command},
    {"demo", "see it work, on this machine alone", nasdiag::app::demo_command},
    {"version", "print the version", show_version},
}};

void print_overview(std::ostream& out) {
  out << "nasdiag finds out which part makes copying to or from a NAS slow.\n\n"
         "Usage: nasdiag COMMAND [options]      nasdiag COMMAND --help\n\nCommands:\n";
  for (const Command& command : kCommands) {
    std::string name(command.name);
    name.resize(10, ' ');
    out << "  " << name << command.summary << '\n';
  }
  out << "\nExamples:\n"
         "  nasdiag demo                                        see it work, on this machine alone\n"
         "  nasdiag run --server nas --mount /home/nfs/dan      which layer limits copies to that NAS\n";
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_overview(std::cerr);
    return nasdiag::app::kUsage;
  }
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_overview(std::cout);
    return nasdiag::app::kDone;
  }
  const std::string wanted = name == "--version" ? "version" : name;
  const auto command =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& c) { return c.name == wanted; });
  if (command == kCommands.end())
    throw nasdiag::app::UsageError("there is no command '" + name + "'; `nasdiag --help` lists them");
  return command->run({words.begin() + 1, words.end()});
}

void set_up_logging() {
  auto logger = spdlog::stderr_color_mt("nasdiag");
  logger->set_pattern("nasdiag: %^%l%$: %v");
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = nasdiag::filebench::run_worker_if_asked(argc, argv)) return *status;
  std::signal(SIGPIPE, SIG_IGN);
  set_up_logging();
  try {
    return dispatch({argv + 1, argv + argc});
  } catch (const nasdiag::app::UsageError& error) {
    spdlog::error("{}", error.what());
    return nasdiag::app::kUsage;
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return nasdiag::app::kNothingMeasured;
  }
}
