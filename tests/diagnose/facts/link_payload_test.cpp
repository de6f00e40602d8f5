#include <diagnose/facts/link_payload.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using Catch::Matchers::WithinRel;
using evidence::Nic;
using evidence::NicKind;
using measure::DataRate;

namespace {

Nic gigabit(double megabits, int mtu = 1500) {
  return {.name = "eth0",
          .kind = NicKind::ethernet,
          .speed = DataRate::megabits_per_second(megabits),
          .mtu = mtu};
}

double megabits(const evidence::LinkPayload& payload) {
  REQUIRE(payload.rate);
  return payload.rate->megabits_per_second();
}

evidence::UsbBus usb(double megabits) { return {.speed = DataRate::megabits_per_second(megabits)}; }

}  // namespace

TEST_CASE("a negotiated speed carries what full segments with timestamps leave") {
  CHECK_THAT(megabits(facts::link_payload(gigabit(1000))), WithinRel(941.5, 0.001));
  CHECK_THAT(megabits(facts::link_payload(gigabit(1000, 9000))), WithinRel(990.0, 0.001));
  CHECK_THAT(megabits(facts::link_payload(gigabit(2500))), WithinRel(2354, 0.001));
  CHECK_THAT(megabits(facts::link_payload(gigabit(1000), {.ipv6 = true})), WithinRel(928.5, 0.001));
  CHECK_THAT(megabits(facts::link_payload(gigabit(1000, 9000), {.mtu = 1500})), WithinRel(941.5, 0.001));
  CHECK(facts::link_payload(gigabit(1000)).limited_by == "negotiated-speed");
}

TEST_CASE("a USB bus is the limit where it is slower than the link") {
  Nic nic = gigabit(5000);
  nic.usb = usb(5000);
  const auto payload = facts::link_payload(nic);
  CHECK(payload.limited_by == "usb-bus");
  CHECK(payload.low == DataRate::megabits_per_second(3200));
  CHECK(payload.high == DataRate::megabits_per_second(3500));
  SECTION("USB 2") {
    nic = gigabit(1000);
    nic.usb = usb(480);
    CHECK(facts::link_payload(nic).low == DataRate::megabits_per_second(250));
    CHECK(facts::link_payload(nic).high == DataRate::megabits_per_second(380));
  }
  SECTION("a gigabit adapter on a fast port is not limited by it") {
    nic = gigabit(1000);
    nic.usb = usb(5000);
    CHECK(facts::link_payload(nic).limited_by == "negotiated-speed");
  }
}

TEST_CASE("a PCIe slot is the limit where its lanes carry less than the link") {
  Nic nic = gigabit(10000);
  nic.pcie = evidence::PcieBus{.gigatransfers = 5, .lanes = 1};
  const auto payload = facts::link_payload(nic);
  CHECK(payload.limited_by == "pcie");
  CHECK_THAT(megabits(payload), WithinRel(3200, 0.05));
  // The case that was reported: 3070 Mbit/s on PCIe 2.0 x1.
  CHECK(*payload.low <= DataRate::megabits_per_second(3070));
  CHECK(*payload.high >= DataRate::megabits_per_second(3070));
  nic.pcie->lanes = 4;
  CHECK(facts::link_payload(nic).limited_by == "negotiated-speed");
}

TEST_CASE("what is unknown stays unknown") {
  const auto kind =
      GENERATE(NicKind::loopback, NicKind::veth, NicKind::paravirtual, NicKind::wifi, NicKind::tunnel);
  const auto payload = facts::link_payload({.name = "x", .kind = kind, .mtu = 1500});
  CHECK_FALSE(payload.rate);
  CHECK(payload.limited_by == "unknown");
  CHECK_FALSE(payload.formula.empty());
}

TEST_CASE("a route carries what the slowest interface on it does") {
  Nic slow = gigabit(1000), fast = gigabit(10000);
  slow.name = "enp1s0";
  fast.name = "enp2s0";
  const Nic bond{.name = "bond0",
                 .kind = NicKind::bond,
                 .speed = DataRate::megabits_per_second(11000),
                 .mtu = 1500,
                 .lower = {"enp1s0", "enp2s0"}};
  evidence::RouteFacts route{
      .address = "192.0.2.5", .interface = "bond0", .stack = {"bond0", "enp1s0", "enp2s0"}};
  CHECK_THAT(megabits(facts::route_payload(route, {bond, slow, fast})), WithinRel(941.5, 0.001));
  SECTION("a member that is down carries nothing and isn't counted") {
    slow.state = "down";
    CHECK_THAT(megabits(facts::route_payload(route, {bond, slow, fast})), WithinRel(9415, 0.001));
  }
  SECTION("a tunnel's or this machine's is unknown") {
    route.tunnel = true;
    CHECK_FALSE(facts::route_payload(route, {bond, slow, fast}).rate);
    route.tunnel = false;
    route.local = true;
    CHECK_FALSE(facts::route_payload(route, {bond, slow, fast}).rate);
  }
  SECTION("a smaller MTU learned for the way counts") {
    route.mtu = 576;
    CHECK(megabits(facts::route_payload(route, {bond, slow, fast})) < 860);
  }
}
