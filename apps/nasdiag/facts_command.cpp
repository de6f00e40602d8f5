#include "nasdiag/facts_command.hpp"

#include <diagnose/facts/facts.hpp>
#include <diagnose/facts/link_payload.hpp>
#include <diagnose/report/facts_json.hpp>
#include <diagnose/report/facts_text.hpp>
#include <diagnose/report/json_text.hpp>
#include <filebench/mount.hpp>

#include <iostream>

namespace nasdiag::app {

namespace {

constexpr int iperf3_port = 5201;

constexpr Help help{
    .usage = "nasdiag facts --server HOST --mount DIR [options]",
    .description =
        "Shows what is there before anything is measured: this computer, the way to the server, the\n"
        "network interfaces on it and what they can carry, the mount and how it is mounted, the local\n"
        "disk. Says what is surprising about them. Changes nothing and takes about a second.",
    .examples =
        "  nasdiag facts --server nas --mount /home/nfs/dan\n"
        "  nasdiag facts --mount /mnt/nas --local /data --json -\n"};

evidence::LinkPayload link_of(const evidence::Facts& facts) {
  const auto& route = facts.mount_route ? facts.mount_route : facts.route;
  return route ? facts::route_payload(*route, facts.nics)
               : evidence::LinkPayload{.limited_by = "unknown", .formula = "there is no way to a server"};
}

}  // namespace

po::options_description target_options() {
  po::options_description options("Options", 100);
  options.add_options()("server", po::value<std::string>(), "the NAS's name or address")(
      "mount", po::value<std::string>(), "a folder on the mounted share")("local", po::value<std::string>(),
                                                                          "a folder on this computer's disk");
  return options;
}

evidence::Facts facts_of_target(const po::variables_map& values) {
  if (values.count("server") == 0 && values.count("mount") == 0) {
    throw UsageError("there is nothing to look at: give --server HOST, --mount DIR, or best both");
  }
  facts::FactsOptions options;
  if (values.count("server") != 0) {
    options.server = parse_host_port(values["server"].as<std::string>(), iperf3_port).host;
  }
  if (values.count("mount") != 0) options.mount = filebench::find_mount(values["mount"].as<std::string>());
  if (values.count("local") != 0) options.local = values["local"].as<std::string>();
  return facts::read_facts(options);
}

int facts_command(const std::vector<std::string>& arguments) {
  auto options = target_options();
  options.add_options()("json", po::value<std::string>()->default_value(""),
                        "save the facts as JSON (-: stdout, and only that)");
  const auto parsed = parse_options(arguments, options, {}, help);
  if (parsed.help_shown) return kDone;
  const evidence::Facts facts = facts_of_target(parsed.values);
  const evidence::LinkPayload link = link_of(facts);
  const std::string file = parsed.values["json"].as<std::string>();
  if (file != "-") std::cout << report::facts_text(facts, link);
  if (!file.empty()) {
    const boost::json::object saved{{"format", "nasdiag-facts"},
                                    {"version", 1},
                                    {"facts", report::to_json(facts)},
                                    {"link", report::to_json(link)}};
    report::write_text_file(file, report::json_text(saved));
  }
  return kDone;
}

}  // namespace nasdiag::app
