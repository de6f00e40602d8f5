#include <netbench/plateau.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace nasdiag::netbench;
using nasdiag::measure::DataRate;

TEST_CASE("the payload share of Ethernet is that of full segments with timestamps") {
  CHECK(ethernet_payload_share(1500) == Approx(1448.0 / 1538));
  CHECK(ethernet_payload_share(9000) == Approx(8948.0 / 9038));
  CHECK(ethernet_payload_share(1500, IpVersion::v6) == Approx(1428.0 / 1538));
  CHECK(ethernet_payload(DataRate::megabits_per_second(1000), 1500).megabits_per_second() ==
        Approx(941.5).margin(0.1));
}

TEST_CASE("a rate is recognised as what a link carries") {
  const auto [megabits, mtu, name] = GENERATE(table<double, int, std::string>({{94.1, 1500, "100BASE-TX"},
                                                                               {95, 1500, "100BASE-TX"},
                                                                               {941, 1500, "gigabit"},
                                                                               {990, 9000, "gigabit"},
                                                                               {2354, 1500, "2.5GBASE-T"},
                                                                               {2370, 1500, "2.5GBASE-T"},
                                                                               {4710, 1500, "5GBASE-T"},
                                                                               {4950, 9000, "5GBASE-T"},
                                                                               {9390, 1500, "10-gigabit"},
                                                                               {9.4, 1500, "10BASE-T"}}));
  CAPTURE(megabits);
  const auto plateau = recognise_plateau({.throughput = DataRate::megabits_per_second(megabits), .mtu = mtu});
  REQUIRE(plateau);
  CHECK(plateau->name == name);
}

TEST_CASE("a rate between the links is none of them") {
  const double megabits = GENERATE(300, 550, 900, 1200, 1600, 3000, 3300, 4500, 7000, 8400);
  CAPTURE(megabits);
  CHECK_FALSE(recognise_plateau({.throughput = DataRate::megabits_per_second(megabits)}));
}

TEST_CASE("a rate by chance is told from a link's") {
  const PlateauInput gigabit{.throughput = DataRate::megabits_per_second(941)};
  SECTION("many retransmits: not a full link") {
    PlateauInput input = gigabit;
    input.retransmitted_share = 0.05;
    CHECK_FALSE(recognise_plateau(input));
  }
  SECTION("more streams bring more") {
    PlateauInput input = gigabit;
    input.with_more_streams = DataRate::megabits_per_second(2300);
    CHECK_FALSE(recognise_plateau(input));
  }
  SECTION("harmless retransmits, same rate with more streams") {
    PlateauInput input = gigabit;
    input.retransmitted_share = 0.02;
    input.with_more_streams = DataRate::megabits_per_second(938);
    CHECK(recognise_plateau(input));
  }
}
