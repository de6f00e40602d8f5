#include "client_tree.hpp"

#include <diagnose/facts/facts.hpp>
#include <diagnose/facts/link_payload.hpp>
#include <diagnose/report/facts_json.hpp>
#include <diagnose/report/facts_text.hpp>

#include <catch2/catch.hpp>

#include <chrono>

using namespace nasdiag;

TEST_CASE("facts of a tree keep the interfaces that matter") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto facts = facts::read_facts({.root = tree.root()});
  std::vector<std::string> names;
  for (const auto& nic : facts.nics) names.push_back(nic.name);
  CHECK(names == std::vector<std::string>{"enp2s0", "enx1"});
  CHECK(facts.host.name == "desk");
  CHECK_FALSE(facts.route);
}

TEST_CASE("any file of proc and sys may be missing or hold nonsense") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto complete = facts::read_facts({.root = tree.root()});
  for (const auto& file : tree.files()) {
    const auto relative = std::filesystem::relative(file, tree.root());
    CAPTURE(relative);
    const std::string text = test::text_of(file);
    std::filesystem::remove(file);
    REQUIRE_NOTHROW(facts::read_facts({.root = tree.root()}));
    tree.file(relative, "\xff:,-\n99999999999999999999 = \n\n");
    REQUIRE_NOTHROW(facts::read_facts({.root = tree.root()}));
    tree.file(relative, text);
  }
  CHECK(facts::read_facts({.root = tree.root()}) == complete);
}

TEST_CASE("an empty tree gives empty facts") {
  test::FakeTree tree;
  const auto facts = facts::read_facts({.root = tree.root()});
  CHECK(facts == evidence::Facts());
}

TEST_CASE("facts of this machine come quickly and survive being saved", "[loopback]") {
  const auto begin = std::chrono::steady_clock::now();
  const auto facts = facts::read_facts({.server = "127.0.0.1", .local = "/tmp"});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  REQUIRE(facts.route);
  CHECK(facts.route->local);
  CHECK(facts.host.kernel);
  CHECK(facts.host.cores.value_or(0) >= 1);
  const auto saved = report::facts_from_json(report::to_json(facts));
  CHECK(saved.host == facts.host);
  CHECK(saved.nics == facts.nics);
  CHECK(saved.tcp == facts.tcp);
  CHECK(saved.route == facts.route);
  REQUIRE(saved.local_storage);
  CHECK(saved.local_storage->mount_point == facts.local_storage->mount_point);
  CHECK(saved.surprises == facts.surprises);
  CHECK_THAT(report::facts_text(facts, facts::route_payload(*facts.route, facts.nics)),
             Catch::Contains("this very machine"));
}

TEST_CASE("a name that can't be resolved is no reason to fail") {
  const auto facts = facts::read_facts({.server = "no-such-host.invalid"});
  CHECK_FALSE(facts.route);
  REQUIRE_FALSE(facts.unread.empty());
  CHECK(facts.unread[0].code == "name-unresolved");
}

TEST_CASE("facts with everything in them survive being saved") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  auto facts = facts::read_facts({.root = tree.root()});
  facts.route = evidence::RouteFacts{.server = "nas",
                                     .address = "192.0.2.5",
                                     .interface = "enx1",
                                     .source = "192.0.2.7",
                                     .gateway = "192.0.2.1",
                                     .mtu = 1400,
                                     .neighbour_state = "stale",
                                     .tunnel = true,
                                     .stack = {"enx1"}};
  facts.mount_route = facts.route;
  auto& nic = facts.nics[0];
  nic.supported = nic.advertised = nic.partner = {measure::DataRate::megabits_per_second(2500)};
  nic.autonegotiation = nic.tx_checksum = nic.rx_pause = true;
  nic.rx_ring = 256;
  nic.firmware = "1.2";
  nic.addresses = {"192.0.2.7/24"};
  facts.unread.push_back({"route-unknown", measure::Severity::info, "because"});
  CHECK(report::facts_from_json(report::to_json(facts)) == facts);
  CHECK(report::facts_from_json({}) == evidence::Facts());
  const auto payload = facts::link_payload(nic);
  CHECK(report::link_payload_from_json(report::to_json(payload)) == payload);
}
