#include "support/made_up_evidence.hpp"

#include <diagnose/plan/settle.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using evidence::ExperimentKind;
using measure::Direction;
using measure::Seconds;
using verdict::Candidate;
using verdict::Layer;

TEST_CASE("each pair of candidates has the experiment that tells them apart") {
  struct Pair {
    Candidate one, other;
    Direction direction;
    std::optional<ExperimentKind> experiment;
  };
  const Candidate mount{Layer::mount, ""};
  const Candidate disk{Layer::nas_disk, ""};
  const auto pair = GENERATE_REF(
      Pair{mount, disk, Direction::write, ExperimentKind::commits},
      Pair{disk, mount, Direction::write, ExperimentKind::commits},
      Pair{mount, disk, Direction::read, ExperimentKind::mount_again},
      Pair{{Layer::nas_disk, "nas-disk/sync-write"},
           {Layer::nas_disk, "nas-disk/write-cache-exhausted"},
           Direction::write,
           ExperimentKind::commits},
      Pair{mount, {Layer::tcp, "tcp/window"}, Direction::read, ExperimentKind::mount_parallel},
      Pair{mount, {Layer::nas_cpu, ""}, Direction::write, ExperimentKind::mount_parallel},
      Pair{{Layer::link, "link/cable"}, {Layer::link, "link/negotiated-speed"}, Direction::write, {}});
  CHECK(plan::experiment_between(pair.one, pair.other, pair.direction) == pair.experiment);
  CHECK(plan::experiment_between(pair.other, pair.one, pair.direction) == pair.experiment);
}

TEST_CASE("a verdict that names two gets one more step, once and only if there is time") {
  verdict::Diagnosis diagnosis;
  diagnosis.write.limiting_layer = Layer::mount;
  diagnosis.write.alternatives = {{Layer::nas_disk, "nas-disk/sync-write"}};
  evidence::Evidence evidence;
  const auto step = plan::settling_step(diagnosis, evidence, Seconds(20));
  REQUIRE(step);
  CHECK(step->kind == ExperimentKind::commits);
  CHECK(step->direction == Direction::write);
  CHECK_FALSE(plan::settling_step(diagnosis, evidence, Seconds(3)));
  evidence.experiments.push_back({.kind = ExperimentKind::commits, .direction = Direction::write});
  CHECK_FALSE(plan::settling_step(diagnosis, evidence, Seconds(20)));
}

TEST_CASE("before the mount is blamed the network is asked once more, in a short run too") {
  verdict::Diagnosis diagnosis;
  diagnosis.read.limiting_layer = Layer::mount;
  auto evidence = test::made_up_evidence({});
  CHECK_FALSE(plan::settling_step(diagnosis, evidence, Seconds(3)));
  evidence.experiments.push_back(test::tcp_experiment(ExperimentKind::tcp_one_stream, Direction::read, 900));
  const auto step = plan::settling_step(diagnosis, evidence, Seconds(3));
  REQUIRE(step);
  CHECK(step->kind == ExperimentKind::tcp_again);
  CHECK(step->direction == Direction::read);
  CHECK_FALSE(plan::settling_step(diagnosis, evidence, Seconds(1)));
  evidence.experiments.push_back(test::tcp_experiment(ExperimentKind::tcp_again, Direction::read, 900));
  CHECK_FALSE(plan::settling_step(diagnosis, evidence, Seconds(3)));
}

TEST_CASE("a verdict without a rival needs nothing more") {
  verdict::Diagnosis diagnosis;
  diagnosis.read.limiting_layer = Layer::link;
  CHECK_FALSE(plan::settling_step(diagnosis, {}, Seconds(60)));
}

TEST_CASE("four files that are much faster together leave the mount") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 300, 290});
  const auto before = verdict::decide(evidence).read;
  CHECK(before.confidence == verdict::Confidence::possible);
  evidence.experiments.push_back(test::file_experiment(ExperimentKind::mount_parallel, Direction::read, 800));
  const auto after = verdict::decide(evidence).read;
  CHECK(after.limiting_layer == Layer::mount);
  CHECK(after.confidence == verdict::Confidence::likely);
}
