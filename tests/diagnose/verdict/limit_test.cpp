#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/limit.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace nasdiag;
using test::MadeUp;
using verdict::Layer;
using verdict::LimitRule;

struct Situation {
  const char* name;
  MadeUp figures;
  Layer layer;
  LimitRule rule;
};

}  // namespace

TEST_CASE("the figures alone name the layer that limits") {
  const auto situation = GENERATE(
      Situation{"gigabit filled", {941, 940, 939, 8000, 905, 890}, Layer::link, LimitRule::link_full},
      Situation{"GVfs on 2.5 Gbit/s", {2354, 2350, 2340, 8000, 700, 500}, Layer::mount, LimitRule::below_all},
      Situation{"router core: one stream a third",
                {9415, 7000, 2600, 20000, 2500, 2450},
                Layer::tcp,
                LimitRule::capacity_reached},
      Situation{"the mount alone fills the link, the copy nearly",
                {941, 940, 939, 8000, 931, 780},
                Layer::link,
                LimitRule::reached_from_memory},
      Situation{
          "slow switch port", {2354, 941, 940, 8000, 900, 880}, Layer::path, LimitRule::capacity_reached},
      Situation{"slow local disk",
                {2354, 2350, 2340, 325, 2200, 313},
                Layer::client_disk,
                LimitRule::capacity_reached},
      Situation{
          "one after the other", {9415, 9400, 9300, 9000, {}, 4600}, Layer::mount, LimitRule::stages_in_turn},
      Situation{"no server was given", {{}, {}, {}, 8000, 700, 690}, Layer::mount, LimitRule::below_all},
      Situation{"link speed unknown", {{}, 941, 940, 8000, 900, 880}, Layer::link, LimitRule::link_full});
  INFO(situation.name);
  const auto evidence = test::made_up_evidence(situation.figures);
  const auto limit = limit_of(verdict::figures_of(evidence, measure::Direction::write));
  REQUIRE(limit);
  CHECK(to_string(limit->layer) == to_string(situation.layer));
  CHECK(limit->rule == situation.rule);
}

TEST_CASE("without a file job there is no limit to name") {
  const auto evidence = test::made_up_evidence({.link = 941, .four_streams = 940, .one_stream = 939});
  CHECK_FALSE(limit_of(verdict::figures_of(evidence, measure::Direction::read)));
}

TEST_CASE("a job that varies widely does not reach a capacity by its spread alone") {
  auto evidence = test::made_up_evidence({.link = 941, .one_stream = 900});
  auto copy = test::file_experiment(evidence::ExperimentKind::copy, measure::Direction::write, 460);
  auto& result = std::get<filebench::TransferResult>(copy.result);
  result.runs = {{result.amount, result.window, test::mbit(200)},
                 {result.amount, result.window, test::mbit(940)}};
  evidence.experiments.push_back(copy);
  const auto limit = limit_of(verdict::figures_of(evidence, measure::Direction::write));
  REQUIRE(limit);
  CHECK(limit->rule == LimitRule::below_all);
  CHECK(limit->within_spread == Layer::link);
}

TEST_CASE("a write that filled the link until its short flush is limited by the link") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, {}, 744});
  auto& copy = std::get<filebench::TransferResult>(evidence.experiments.back().result);
  REQUIRE(copy.direction == measure::Direction::read);
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == evidence::ExperimentKind::copy) {
      auto& job = std::get<filebench::TransferResult>(experiment.result);
      job.flush_time = job.window * 0.18;
      job.accepted_rate = test::mbit(907);
    }
  const auto limit = [&](measure::Direction direction) {
    return limit_of(verdict::figures_of(evidence, direction));
  };
  CHECK(limit(measure::Direction::write)->layer == Layer::link);
  CHECK(limit(measure::Direction::write)->rule == LimitRule::reached_until_flush);
  CHECK(limit(measure::Direction::read)->layer == Layer::mount);
}

TEST_CASE("a capacity known badly is not reached by anything") {
  auto evidence = test::made_up_evidence({941, 940, 939, 800, {}, 200});
  for (auto& experiment : evidence.experiments)
    if (auto* disk = std::get_if<diskbench::DiskResult>(&experiment.result)) {
      auto& figures = disk->read ? disk->read : disk->write;
      figures->precision = measure::Precision{.mean = test::mbit(800), .half_width = test::mbit(4000)};
    }
  CHECK(limit_of(verdict::figures_of(evidence, measure::Direction::write))->layer == Layer::mount);
}

TEST_CASE("a network rate close to the layer under it is not a capacity of its own") {
  const auto evidence =
      test::made_up_evidence({.link = 941, .four_streams = 935, .one_stream = 930, .copy = 500});
  const auto figures = verdict::figures_of(evidence, measure::Direction::write);
  CHECK(lowest_capacity(figures) == Layer::link);
  CHECK_FALSE(lowest_capacity(figures, Layer::link) == Layer::link);
}

TEST_CASE(
    "a job just below a full link was held up by the link only if the mount came closer some other way") {
  const auto layer = [](double from_memory, std::optional<double> while_moving) {
    auto figures = verdict::figures_of(test::made_up_evidence({941, 940, 939, 8000, from_memory, 815}),
                                       measure::Direction::write);
    if (while_moving) figures.while_moving = test::mbit(*while_moving);
    return verdict::limit_of(figures)->layer;
  };
  CHECK(layer(820, {}) == Layer::mount);
  CHECK(layer(920, {}) == Layer::link);
  CHECK(layer(820, 900) == Layer::link);
}

TEST_CASE("the wire's peak of a write that memory took first may stay further below than a rate until the flush") {
  auto figures =
      verdict::figures_of(test::made_up_evidence({941, 940, 939, 8000, 800, 780}), measure::Direction::write);
  CHECK(verdict::limit_of(figures)->layer == Layer::mount);
  figures.while_moving = test::mbit(830);
  CHECK(verdict::limit_of(figures)->layer == Layer::mount);
  figures.while_moving.reset();
  figures.wire_peak = test::mbit(830);
  CHECK(verdict::limit_of(figures)->layer == Layer::link);
  figures.wire_peak = test::mbit(780);
  CHECK(verdict::limit_of(figures)->layer == Layer::mount);
}
