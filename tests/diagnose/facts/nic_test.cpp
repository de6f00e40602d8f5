#include "client_tree.hpp"

#include <diagnose/facts/ethtool.hpp>
#include <diagnose/facts/nic.hpp>
#include <diagnose/facts/route.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using evidence::NicKind;
using measure::DataRate;

TEST_CASE("kinds of interfaces are told apart") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto kind = [&](const char* name) { return facts::read_nic(name, tree.root()).kind; };
  CHECK(kind("lo") == NicKind::loopback);
  CHECK(kind("enx1") == NicKind::ethernet);
  CHECK(kind("bond0") == NicKind::bond);
  CHECK(kind("bond0.20") == NicKind::vlan);
  CHECK(kind("veth1") == NicKind::veth);
  CHECK(kind("wg0") == NicKind::tunnel);
  CHECK(kind("nowhere") == NicKind::other);
}

TEST_CASE("a radio is recognised whatever its type says") {
  test::FakeTree tree;
  test::add_interface(tree, "wlan0", "", 2);
  tree.folder("sys/class/net/wlan0/phy80211").file("sys/class/net/wlan0/speed", "300\n");
  const auto nic = facts::read_nic("wlan0", tree.root());
  CHECK(nic.kind == NicKind::wifi);
  CHECK_FALSE(nic.speed);
}

TEST_CASE("speeds that mean nothing are no speeds") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  CHECK_FALSE(facts::read_nic("veth1", tree.root()).speed);
  SECTION("but a veth that says something else is believed") {
    tree.file("sys/class/net/veth1/speed", "1000\n");
    CHECK(facts::read_nic("veth1", tree.root()).speed == DataRate::megabits_per_second(1000));
  }
  SECTION("a virtual machine's interface says -1") {
    tree.folder("sys/bus/virtio/drivers/virtio_net").folder("sys/devices/virtio2");
    tree.link("sys/devices/virtio2/driver", "sys/bus/virtio/drivers/virtio_net");
    test::add_interface(tree, "eth9", "sys/devices/virtio2", 19);
    tree.file("sys/class/net/eth9/speed", "-1\n").file("sys/class/net/eth9/duplex", "unknown\n");
    const auto nic = facts::read_nic("eth9", tree.root());
    CHECK(nic.kind == NicKind::paravirtual);
    CHECK(nic.driver == "virtio_net");
    CHECK_FALSE(nic.speed);
    CHECK_FALSE(nic.duplex);
  }
}

TEST_CASE("a USB adapter's bus is as slow as the slowest hub above it") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto nic = facts::read_nic("enx1", tree.root());
  REQUIRE(nic.usb);
  CHECK(nic.usb->speed == DataRate::megabits_per_second(5000));
  CHECK(nic.usb->product == "USB 5G LAN");
  CHECK(nic.driver == "aqc111");
  CHECK_FALSE(nic.pcie);
}

TEST_CASE("a card in a slot knows its lanes and what it could use") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto nic = facts::read_nic("enp2s0", tree.root());
  REQUIRE(nic.pcie);
  CHECK(*nic.pcie ==
        evidence::PcieBus{.gigatransfers = 5, .lanes = 1, .max_gigatransfers = 8, .max_lanes = 4});
  CHECK(nic.queues == 2);
  CHECK(nic.crc_errors == 4711);
  CHECK(nic.errors == 4721);
  CHECK_FALSE(nic.usb);
}

TEST_CASE("link modes become speeds") {
  const std::uint32_t gigabit_card = 0x3f | 1U << 6;  // 10 to 1000, autonegotiation
  CHECK(facts::link_mode_speeds(&gigabit_card, 1) ==
        std::vector<DataRate>{DataRate::megabits_per_second(10), DataRate::megabits_per_second(100),
                              DataRate::megabits_per_second(1000)});
  const std::uint32_t multi_gigabit[2] = {1U << 5 | 1U << 12, 1U << (47 - 32) | 1U << (48 - 32)};
  CHECK(facts::link_mode_speeds(multi_gigabit, 2) ==
        std::vector<DataRate>{DataRate::megabits_per_second(1000), DataRate::megabits_per_second(2500),
                              DataRate::megabits_per_second(5000), DataRate::megabits_per_second(10000)});
  CHECK(facts::link_mode_speeds(multi_gigabit, 0).empty());
}

TEST_CASE("the stack below a VLAN on a bond is followed to the hardware") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  std::vector<evidence::Nic> nics;
  for (const auto& name : facts::interface_names(tree.root()))
    nics.push_back(facts::read_nic(name, tree.root()));
  evidence::RouteFacts route{.interface = "bond0.20"};
  facts::describe_stack(route, nics);
  CHECK(route.stack == std::vector<std::string>{"bond0.20", "bond0", "enp2s0", "enx1"});
  CHECK_FALSE(route.tunnel);
  route.interface = "wg0";
  facts::describe_stack(route, nics);
  CHECK(route.tunnel);
}

TEST_CASE("of a bridge only the ports that lead out belong to the way") {
  const std::vector<evidence::Nic> nics{
      {.name = "br0", .kind = NicKind::bridge, .lower = {"enp1s0", "veth3", "tap0"}},
      {.name = "enp1s0", .kind = NicKind::ethernet},
      {.name = "veth3", .kind = NicKind::veth},
      {.name = "tap0", .kind = NicKind::tap}};
  evidence::RouteFacts route{.interface = "br0"};
  facts::describe_stack(route, nics);
  CHECK(route.stack == std::vector<std::string>{"br0", "enp1s0"});
}

TEST_CASE("the kernel is asked for the way to this machine", "[loopback]") {
  const auto route = facts::look_up_route("localhost", "127.0.0.1");
  CHECK(route.local);
  CHECK(route.interface == "lo");
  CHECK_FALSE(route.gateway);
  CHECK(facts::numeric_address("127.0.0.1", std::chrono::milliseconds(10)) == "127.0.0.1");
  CHECK_FALSE(facts::numeric_address("", std::chrono::milliseconds(10)));
  CHECK_THROWS_AS(facts::look_up_route("x", "no address"), std::system_error);
}
