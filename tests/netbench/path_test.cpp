#include <netbench/error.hpp>
#include <netbench/path.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag::netbench;

TEST_CASE("the way to this machine itself is known for what it is") {
  const PathFacts facts = explore_path({.host = "127.0.0.1"}, {});
  CHECK(facts.local);
  CHECK(facts.address == "127.0.0.1");
  CHECK(facts.interface == "lo");
  CHECK(facts.gateway.empty());
  CHECK(facts.hops == 0);
  CHECK(facts.connect_times.size() == 5);
  CHECK(facts.mtu.interface_mtu > 1500);
  REQUIRE(facts.mtu.path_mtu);
  CHECK(*facts.mtu.path_mtu >= 65'535);
  CHECK_FALSE(facts.mtu.black_hole);
}

TEST_CASE("a name that nobody knows has no way") {
  try {
    explore_path({.host = "no-such-host.invalid"}, {});
    FAIL("it was found");
  } catch (const std::system_error& error) {
    CHECK(error.code() == Errc::unknown_host);
  }
}
