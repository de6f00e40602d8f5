#include <diagnose/facts/ethtool.hpp>
#include <diagnose/facts/facts.hpp>
#include <diagnose/facts/host.hpp>
#include <diagnose/facts/nic.hpp>
#include <diagnose/facts/route.hpp>
#include <diagnose/facts/surprises.hpp>
#include <diagnose/facts/tcp_settings.hpp>

#include <algorithm>
#include <system_error>

namespace nasdiag::facts {

using evidence::Facts;
using evidence::Nic;
using evidence::NicKind;

namespace {

void note_unread(Facts& facts, const char* code, std::string text) {
  facts.unread.push_back({.code = code, .severity = measure::Severity::info, .text = std::move(text)});
}

std::optional<evidence::RouteFacts> read_route(const std::string& server, const std::string& known_address,
                                               const FactsOptions& options, Facts& facts) {
  const auto address =
      known_address.empty() ? numeric_address(server, options.name_timeout) : std::optional(known_address);
  if (!address) {
    note_unread(facts, "name-unresolved",
                "the name " + server + " can't be resolved (within " +
                    std::to_string(options.name_timeout.count()) + " ms)");
    return std::nullopt;
  }
  try {
    return look_up_route(server, *address);
  } catch (const std::system_error& error) {
    note_unread(facts, "route-unknown", "no route to " + *address + ": " + error.what());
    return std::nullopt;
  }
}

void read_routes(const FactsOptions& options, Facts& facts) {
  if (!options.server.empty()) facts.route = read_route(options.server, "", options, facts);
  if (!options.mount || !options.mount->is_network()) return;
  const filebench::Mount& mount = *options.mount;
  if (!mount.address.empty() || !mount.server.empty()) {
    facts.mount_route = read_route(mount.server, mount.address, options, facts);
  }
}

void read_nics(const FactsOptions& options, bool ask_kernel, Facts& facts) {
  for (const std::string& name : interface_names(options.root)) {
    Nic nic = read_nic(name, options.root);
    if (ask_kernel) ask_driver(nic);
    distrust_speed(nic);
    facts.nics.push_back(std::move(nic));
  }
  if (!ask_kernel) return;
  try {
    const auto addresses = interface_addresses();
    for (Nic& nic : facts.nics) {
      if (const auto found = addresses.find(nic.name); found != addresses.end())
        nic.addresses = found->second;
    }
  } catch (const std::system_error& error) {
    note_unread(facts, "addresses-unknown", std::string("the interfaces' addresses: ") + error.what());
  }
}

bool is_on(const std::optional<evidence::RouteFacts>& route, const std::string& name) {
  return route && std::find(route->stack.begin(), route->stack.end(), name) != route->stack.end();
}

// A host with many containers has dozens of virtual interfaces that concern nobody.
void keep_interesting_nics(Facts& facts) {
  const auto boring = [&](const Nic& nic) {
    const bool other_hardware = (nic.kind == NicKind::ethernet || nic.kind == NicKind::wifi ||
                                 nic.kind == NicKind::paravirtual || !nic.addresses.empty()) &&
                                nic.state != "down" && nic.kind != NicKind::loopback;
    return !is_on(facts.route, nic.name) && !is_on(facts.mount_route, nic.name) && !other_hardware;
  };
  facts.nics.erase(std::remove_if(facts.nics.begin(), facts.nics.end(), boring), facts.nics.end());
}

}  // namespace

Facts read_facts(const FactsOptions& options) {
  const bool ask_kernel = options.root == "/";
  Facts facts;
  facts.host = read_host(options.root);
  facts.tcp = read_tcp_settings(options.root);
  facts.mount = options.mount;
  read_nics(options, ask_kernel, facts);
  if (ask_kernel) read_routes(options, facts);
  for (auto* route : {&facts.route, &facts.mount_route}) {
    if (*route) describe_stack(**route, facts.nics);
  }
  keep_interesting_nics(facts);
  if (!options.local.empty()) facts.local_storage = diskbench::storage_under(options.local, options.root);
  facts.surprises = surprises_in(facts);
  return facts;
}

}  // namespace nasdiag::facts
