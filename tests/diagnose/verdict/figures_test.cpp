#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/figures.hpp>
#include <diagnose/verdict/limit.hpp>
#include <diagnose/verdict/verdict.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using measure::Direction;
using verdict::Layer;

TEST_CASE("a copy faster than the link is set aside, not shown as a rate") {
  const auto evidence =
      test::made_up_evidence({.link = 941, .four_streams = 940, .one_stream = 938, .copy = 4000});
  const auto figures = verdict::figures_of(evidence, Direction::write);
  CHECK_FALSE(figures.achieved);
  REQUIRE(figures.set_aside.size() == 1);
  CHECK(figures.set_aside[0].code == "above-link");
  CHECK(figures.set_aside[0].severity == measure::Severity::void_);
}

TEST_CASE("a link that TCP outran is not believed") {
  const auto evidence =
      test::made_up_evidence({.link = 941, .four_streams = 9000, .one_stream = 8000, .copy = 700});
  const auto figures = verdict::figures_of(evidence, Direction::read);
  CHECK_FALSE(figures.of(Layer::link));
  CHECK(figures.achieved);
  REQUIRE(figures.set_aside.size() == 1);
  CHECK(figures.set_aside[0].code == "link-speed-wrong");
}

TEST_CASE("writing to the NAS reads the local disk, and the other way round") {
  auto evidence = test::made_up_evidence({});
  evidence.experiments.push_back(test::disk_experiment(Direction::write, 800));
  evidence.experiments.push_back(test::disk_experiment(Direction::read, 300));
  CHECK(verdict::figures_of(evidence, Direction::write).of(Layer::client_disk)->rate.value ==
        test::mbit(800));
  CHECK(verdict::figures_of(evidence, Direction::read).of(Layer::client_disk)->rate.value == test::mbit(300));
}

TEST_CASE("several streams that got in each other's way don't make the path slower than one stream") {
  const auto evidence = test::made_up_evidence({.four_streams = 700, .one_stream = 900});
  CHECK(verdict::figures_of(evidence, Direction::write).of(Layer::path)->rate.value == test::mbit(900));
}

TEST_CASE("what was not measured has no figure") {
  const auto figures = verdict::figures_of(test::made_up_evidence({}), Direction::write);
  for (const Layer layer : verdict::kLayers) CHECK_FALSE(figures.of(layer));
  CHECK_FALSE(figures.job());
}

TEST_CASE("TCP after the files is what they had, where it is another figure than before them") {
  using evidence::ExperimentKind;
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 330, 323});
  evidence.experiments.push_back(test::tcp_experiment(ExperimentKind::tcp_again, Direction::write, 935));
  CHECK_FALSE(verdict::figures_of(evidence, Direction::write).network_change);
  evidence.experiments.back() = test::tcp_experiment(ExperimentKind::tcp_again, Direction::write, 334);
  const auto figures = verdict::figures_of(evidence, Direction::write);
  REQUIRE(figures.network_change);
  CHECK(figures.network_change->before == test::mbit(939));
  CHECK(figures.of(Layer::path)->rate.value == test::mbit(334));
  const auto verdict = verdict::decide(evidence).write;
  CHECK(verdict.cause == "link/nic-thermal");
  CHECK(verdict.confidence != verdict::Confidence::certain);
}

TEST_CASE("a connection that was below the path from the start says nothing about the network by varying") {
  auto evidence = test::made_up_evidence({941, 600, 200, 8000, 90, 90});
  evidence.experiments.push_back(
      test::tcp_experiment(evidence::ExperimentKind::tcp_again, Direction::write, 110));
  CHECK_FALSE(verdict::figures_of(evidence, Direction::write).network_change);
}

TEST_CASE("an interface without a speed has that of the link whose payload TCP reaches") {
  const auto evidence = test::made_up_evidence({{}, 942, 941, 8000, 900, 890});
  const auto verdict = verdict::decide(evidence).write;
  REQUIRE(verdict.figures.of(Layer::link));
  CHECK(verdict.figures.of(Layer::link)->source == verdict::Source::derived);
  CHECK(verdict.limiting_layer == Layer::link);
  CHECK(verdict.cause == "none/link-saturated");
  // A tenth of it is no link to live with.
  const auto slow = test::made_up_evidence({{}, 94.2, 94.1, 8000, 90, 89});
  CHECK_FALSE(verdict::figures_of(slow, Direction::write).of(Layer::link));
}

TEST_CASE("a write that memory took at first is compared by what the interface sent") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, {}, 700});
  for (auto& experiment : evidence.experiments)
    if (auto* job = std::get_if<filebench::TransferResult>(&experiment.result);
        job != nullptr && experiment.direction == Direction::write) {
      job->accepted_rate = test::mbit(5500);
      job->flush_time = job->window * 0.85;
      experiment.observation.emplace().nics.push_back({.name = "eth0", .peak_sent = test::mbit(985)});
    }
  const auto verdict = verdict::decide(evidence).write;
  CHECK(verdict.limiting_layer == Layer::link);
  CHECK(verdict.confidence == verdict::Confidence::likely);
}

TEST_CASE(
    "a read that came out of this computer's memory is no figure, and proves nothing about the NAS's disk") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 300, 290});
  auto again = test::file_experiment(evidence::ExperimentKind::mount_again, Direction::read, 900);
  std::get<filebench::TransferResult>(again.result).cache = filebench::CacheState::warm;
  evidence.experiments.push_back(again);
  CHECK_FALSE(verdict::figures_of(evidence, Direction::read).again);
  const auto without = test::made_up_evidence({941, 940, 939, 8000, 300, 290});
  CHECK(to_string(verdict::decide(evidence).read.limiting_layer.value()) ==
        to_string(verdict::decide(without).read.limiting_layer.value()));

  auto& result = std::get<filebench::TransferResult>(evidence.experiments.back().result);
  result.cache = filebench::CacheState::server_warm;
  result.notes.push_back({"not-on-the-wire", measure::Severity::void_, "a tenth crossed the wire"});
  const auto figures = verdict::figures_of(evidence, Direction::read);
  CHECK_FALSE(figures.again);
  REQUIRE(figures.set_aside.size() == 1);
  CHECK(figures.set_aside.front().text == "a tenth crossed the wire");
}

TEST_CASE("an interface without a speed has that of the plateau, with the headers of the way's addresses") {
  auto evidence = test::made_up_evidence({.four_streams = 928, .one_stream = 927.5, .copy = 500});
  evidence.facts.route = evidence::RouteFacts{.server = "nas", .address = "192.168.1.2"};
  CHECK(verdict::figures_of(evidence, Direction::write).of(Layer::link)->rate.value.megabits_per_second() ==
        Approx(941.5).margin(0.1));
  evidence.facts.route->address = "fd00::2";
  CHECK(verdict::figures_of(evidence, Direction::write).of(Layer::link)->rate.value.megabits_per_second() ==
        Approx(928.5).margin(0.1));
}

TEST_CASE("a TCP run that still gathers way is no ceiling below the link") {
  auto evidence = test::made_up_evidence({.link = 941, .four_streams = 820, .copy = 800});
  CHECK(verdict::lowest_capacity(verdict::figures_of(evidence, Direction::write)) == Layer::path);
  for (auto& experiment : evidence.experiments)
    if (auto* tcp = std::get_if<netbench::TcpResult>(&experiment.result))
      for (int i = 0; i < 12; ++i)
        tcp->directions.front().series.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                                                  test::mbit(i < 4 ? 600 : 930) * measure::Seconds(0.1)});
  const auto figures = verdict::figures_of(evidence, Direction::write);
  CHECK(figures.of(Layer::path)->rate.low == test::mbit(600));
  CHECK(figures.of(Layer::path)->rate.high == test::mbit(930));
  CHECK(verdict::lowest_capacity(figures) == Layer::link);
}
