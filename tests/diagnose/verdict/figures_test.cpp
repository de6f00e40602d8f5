#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/figures.hpp>

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
