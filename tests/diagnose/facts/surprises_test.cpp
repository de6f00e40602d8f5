#include <diagnose/facts/surprises.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nasdiag;
using evidence::Facts;
using evidence::Nic;
using evidence::NicKind;
using measure::DataRate;

namespace {

DataRate megabits(double n) { return DataRate::megabits_per_second(n); }

Nic ethernet(const std::string& name, double speed) {
  return {.name = name,
          .kind = NicKind::ethernet,
          .speed = megabits(speed),
          .duplex = "full",
          .mtu = 1500,
          .state = "up"};
}

evidence::RouteFacts route_over(const std::string& nic, const std::string& address) {
  return {.server = "nas", .address = address, .interface = nic, .source = "192.168.1.2", .stack = {nic}};
}

Facts ordinary() {
  return {.route = route_over("enp3s0", "192.168.1.9"), .nics = {ethernet("enp3s0", 1000)}};
}

std::vector<std::string> codes(const Facts& facts) {
  std::vector<std::string> all;
  for (const auto& note : facts::surprises_in(facts)) all.push_back(note.code);
  return all;
}

std::string text_of(const Facts& facts, const std::string& code) {
  for (const auto& note : facts::surprises_in(facts)) {
    if (note.code == code) return note.text;
  }
  return "";
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("nothing surprises in an ordinary gigabit client, nor where nothing is known") {
  CHECK(codes(ordinary()).empty());
  CHECK(codes(Facts()).empty());
}

TEST_CASE("a mount over another interface than the server's is pointed out with both speeds") {
  Facts facts = ordinary();
  facts.route = route_over("enp4s0", "192.168.130.9");
  facts.mount_route = route_over("enp3s0", "192.168.129.3");
  facts.nics.push_back(ethernet("enp4s0", 10000));
  CHECK(text_of(facts, "mount-other-way") ==
        "the mount goes to 192.168.129.3 over enp3s0 at 1000 Mbit/s, but --server is 192.168.130.9 over "
        "enp4s0 at "
        "10000 Mbit/s");
}

TEST_CASE(
    "another address over the same interface is only worth a word, and none if it is of the other kind") {
  Facts facts = ordinary();
  facts.mount_route = route_over("enp3s0", "192.168.1.10");
  CHECK(codes(facts) == Strings{"mount-other-way"});
  CHECK(facts::surprises_in(facts)[0].severity == measure::Severity::info);
  facts.mount_route->address = "2001:db8::9";
  CHECK(codes(facts).empty());
}

TEST_CASE("a USB adapter on a slow port names its ceiling") {
  Facts facts = ordinary();
  facts.nics[0].speed = megabits(5000);
  facts.nics[0].usb = evidence::UsbBus{.speed = megabits(5000)};
  CHECK(text_of(facts, "usb-nic") ==
        "enp3s0: USB NIC on a 5000 Mbit/s port: about 3350 Mbit/s is its ceiling, below its link of 5000 "
        "Mbit/s");
}

TEST_CASE("a narrow slot names what the card could use") {
  Facts facts = ordinary();
  facts.nics[0].speed = megabits(10000);
  facts.nics[0].pcie =
      evidence::PcieBus{.gigatransfers = 5, .lanes = 1, .max_gigatransfers = 8, .max_lanes = 4};
  CHECK(codes(facts) == Strings{"pcie-narrow"});
  CHECK_THAT(text_of(facts, "pcie-narrow"), Catch::Contains("the card could use 4 PCIe lanes at 8 GT/s"));
}

TEST_CASE("negotiation below what both ends offer means a cable") {
  Facts facts = ordinary();
  facts.nics[0].supported = facts.nics[0].advertised = {megabits(1000), megabits(2500)};
  SECTION("both could do more") {
    facts.nics[0].partner = {megabits(1000), megabits(2500)};
    CHECK(codes(facts) == Strings{"link-slow"});
    CHECK_THAT(text_of(facts, "link-slow"), Catch::Contains("both ends offer 2500 Mbit/s"));
  }
  SECTION("the other end can't") {
    facts.nics[0].partner = {megabits(1000)};
    CHECK(codes(facts) == Strings{"partner-slow"});
  }
  SECTION("the other end isn't told") {
    CHECK(codes(facts) == Strings{"link-slow"});
    CHECK(facts::surprises_in(facts)[0].severity == measure::Severity::info);
  }
  SECTION("half duplex") {
    facts.nics[0].duplex = "half";
    facts.nics[0].partner = {megabits(1000)};
    CHECK(codes(facts) == Strings{"half-duplex", "partner-slow"});
  }
}

TEST_CASE("ways that are no plain network are named") {
  Facts facts = ordinary();
  SECTION("this machine") {
    facts.route->local = true;
    CHECK(codes(facts) == Strings{"server-is-local"});
  }
  SECTION("a router, a tunnel and a radio") {
    facts.route->gateway = "192.168.1.1";
    facts.route->tunnel = facts.route->wifi = true;
    CHECK(codes(facts) == Strings{"wifi", "tunnel", "gateway"});
  }
  SECTION("a next hop that doesn't answer") {
    facts.route->neighbour_state = "failed";
    CHECK(codes(facts) == Strings{"next-hop-silent"});
  }
  SECTION("a speed that isn't told") {
    facts.nics[0].speed.reset();
    facts.nics[0].kind = NicKind::paravirtual;
    CHECK(codes(facts) == Strings{"speed-unknown"});
  }
}

TEST_CASE("other interfaces surprise when they are faster or in the same subnet") {
  Facts facts = ordinary();
  facts.nics.push_back(ethernet("enp4s0", 10000));
  CHECK(codes(facts) == Strings{"faster-nic-idle"});
  facts.nics[0].addresses = {"192.168.1.2/24"};
  facts.nics[1].addresses = {"192.168.1.3/24"};
  CHECK(codes(facts) == Strings{"faster-nic-idle", "same-subnet-twice"});
  facts.nics[1].addresses = {"192.168.2.3/24", "fe80::1/64"};
  CHECK(codes(facts) == Strings{"faster-nic-idle"});
}

TEST_CASE("counters and settings of an interface that point to trouble") {
  Facts facts = ordinary();
  Nic& nic = facts.nics[0];
  nic.crc_errors = 4711;
  nic.collisions = 3;
  nic.carrier_changes = 90;
  nic.drops = 5000;
  CHECK(codes(facts) == Strings{"crc-errors", "collisions", "link-unstable", "nic-drops"});
  nic = ethernet("enp3s0", 10000);
  nic.tcp_segmentation = nic.generic_receive = false;
  nic.rx_ring = 128;
  nic.rx_ring_max = 4096;
  nic.mtu = 1400;
  CHECK(codes(facts) == Strings{"mtu-small", "offload-off", "ring-small"});
  nic.kind = NicKind::veth;
  CHECK(codes(facts) == Strings{"mtu-small"});
}

TEST_CASE("TCP and host settings that cost speed") {
  Facts facts = ordinary();
  facts.tcp = {.receive_buffer = evidence::BufferLimits{.maximum = measure::ByteCount::kibibytes(256)},
               .window_scaling = false,
               .selective_acks = false,
               .moderate_receive_buffer = false};
  CHECK(codes(facts) == Strings{"small-buffers", "no-window-scaling", "no-sack", "no-autotuning"});
  facts.tcp = {};
  facts.host = {.cores = 4,
                .governor = "powersave",
                .clock_driver = "cpufreq-dt",
                .aes = false,
                .cpu_quota_cores = 0.5,
                .memory = measure::ByteCount::gibibytes(16),
                .memory_available = measure::ByteCount::mebibytes(300),
                .memory_pressure = 0.3,
                .clock_source = "hpet"};
  CHECK(codes(facts) ==
        Strings{"powersave", "no-aes", "cpu-quota", "slow-clock", "memory-short", "swapping"});
  SECTION("powersave of the pstate drivers is the ordinary dynamic setting") {
    facts.host = {.governor = "powersave", .clock_driver = "intel_pstate"};
    CHECK(codes(facts).empty());
  }
}
