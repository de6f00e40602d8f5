// The kernel's own answers, in a network namespace made for the test.

#include <diagnose/facts/ethtool.hpp>
#include <diagnose/facts/route.hpp>

#include <catch2/catch.hpp>

#include <sched.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

using namespace nasdiag;

namespace {

struct Answers {
  std::string skipped;  // why
  evidence::RouteFacts direct, routed, local;
  std::string unreachable;
  std::map<std::string, std::vector<std::string>> addresses;
  evidence::Nic veth{.name = "na0"};
};

constexpr const char* set_up =
    "ip link set lo up && ip link add na0 type veth peer name nb0 && ip addr add 10.9.1.1/24 dev na0 &&"
    "ip link set na0 up && ip link set nb0 up && ip route add 10.9.2.0/24 via 10.9.1.254 mtu 1400 &&"
    "ip neigh add 10.9.1.254 lladdr 02:00:00:00:00:01 dev na0 nud permanent";

// On a thread of its own: only that one leaves this program's network.
Answers ask() {
  Answers answers;
  std::thread([&answers] {
    if (::unshare(CLONE_NEWNET) != 0) {
      answers.skipped = "no right to make a network namespace";
      return;
    }
    if (std::system(set_up) != 0) {
      answers.skipped = "iproute2 can't set up a veth pair here";
      return;
    }
    answers.direct = facts::look_up_route("nas", "10.9.1.7");
    answers.routed = facts::look_up_route("nas", "10.9.2.7");
    answers.local = facts::look_up_route("nas", "10.9.1.1");
    try {
      facts::look_up_route("nas", "10.9.3.7");
    } catch (const std::exception& error) {
      answers.unreachable = error.what();
    }
    answers.addresses = facts::interface_addresses();
    facts::ask_driver(answers.veth);
  }).join();
  return answers;
}

}  // namespace

TEST_CASE("routes, addresses and drivers as the kernel tells them", "[root]") {
  const Answers answers = ask();
  if (!answers.skipped.empty()) {
    WARN("SKIPPED: " << answers.skipped);
    return;
  }
  CHECK(answers.direct.interface == "na0");
  CHECK(answers.direct.source == "10.9.1.1");
  CHECK_FALSE(answers.direct.gateway);
  CHECK_FALSE(answers.direct.local);
  CHECK_FALSE(answers.direct.neighbour_state);
  CHECK(answers.routed.gateway == "10.9.1.254");
  CHECK(answers.routed.mtu == 1400);
  CHECK(answers.routed.neighbour_state == "permanent");
  CHECK(answers.local.local);
  CHECK_THAT(answers.unreachable, Catch::Contains("unreachable"));
  REQUIRE(answers.addresses.contains("na0"));
  CHECK(answers.addresses.at("na0").front() == "10.9.1.1/24");
  CHECK(answers.veth.driver == "veth");
  CHECK(answers.veth.tcp_segmentation == true);
}
