#include <diagnose/plan/plan.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nasdiag;
using evidence::ExperimentKind;
using measure::Direction;
using measure::Seconds;

TEST_CASE("the steps of a plan fit into its budget") {
  const double seconds = GENERATE(10.0, 20.0, 60.0, 300.0);
  const auto steps = plan::make_plan({.budget = Seconds(seconds)});
  Seconds sum{0};
  for (const plan::Step& step : steps) sum += step.time_limit;
  CHECK(sum.count() <= seconds * 0.95 + 1e-9);
  CHECK(sum.count() >= seconds * 0.80);
}

TEST_CASE("every kind of experiment is planned in both directions") {
  const auto steps = plan::make_plan({});
  for (const auto kind : {ExperimentKind::tcp_one_stream, ExperimentKind::tcp_four_streams,
                          ExperimentKind::client_disk, ExperimentKind::mount_to_memory, ExperimentKind::copy})
    for (const auto direction : {Direction::write, Direction::read})
      CHECK(std::count_if(steps.begin(), steps.end(), [&](const plan::Step& step) {
              return step.kind == kind && step.direction == direction;
            }) == 1);
}

TEST_CASE(
    "what was read over the mount is read again at once, before anything else fills the server's memory") {
  const auto steps = plan::make_plan({});
  const auto again = std::find_if(steps.begin(), steps.end(), [](const plan::Step& step) {
    return step.kind == ExperimentKind::mount_again;
  });
  REQUIRE(again != steps.end());
  CHECK(again->direction == Direction::read);
  CHECK((again - 1)->kind == ExperimentKind::mount_to_memory);
  CHECK((again - 1)->direction == Direction::read);
}

TEST_CASE("the local disk is written before it is read") {
  const auto steps = plan::make_plan({});
  const auto position = [&](Direction job) {
    return std::find_if(steps.begin(), steps.end(), [&](const plan::Step& step) {
      return step.kind == ExperimentKind::client_disk && step.direction == job;
    });
  };
  CHECK(position(Direction::read) < position(Direction::write));
}

TEST_CASE("TCP is measured again after the files, unless there is no time to do it well") {
  const auto again = [](double seconds) {
    const auto steps = plan::make_plan({.budget = Seconds(seconds)});
    return std::count_if(steps.begin(), steps.end(),
                         [](const plan::Step& step) { return step.kind == ExperimentKind::tcp_again; });
  };
  CHECK(again(60) == 2);
  CHECK(again(20) == 0);
}
