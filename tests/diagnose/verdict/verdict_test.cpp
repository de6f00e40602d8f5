#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/verdict.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using verdict::Confidence;
using verdict::Layer;

TEST_CASE("a full link is nothing wrong, and says so") {
  const auto diagnosis = verdict::decide(test::made_up_evidence({941, 940, 939, 8000, 905, 890}));
  CHECK(diagnosis.write.limiting_layer == Layer::link);
  CHECK(diagnosis.write.cause == "none/link-saturated");
  CHECK(diagnosis.write.confidence == Confidence::certain);
  CHECK_THAT(diagnosis.write.advice.at(0), Catch::Contains("Nothing is wrong"));
  // path and tcp were measured through the link: they say nothing about a faster one
  REQUIRE(diagnosis.write.next);
  CHECK(diagnosis.write.next->layer == Layer::client_disk);
}

TEST_CASE("a GVfs mount below everything else is named with its cause and what a fix would gain") {
  auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::gvfs, .protocol = "gvfs-smb"};
  const auto diagnosis = verdict::decide(evidence);
  CHECK(diagnosis.read.limiting_layer == Layer::mount);
  CHECK(diagnosis.read.cause == "mount/gvfs-overhead");
  CHECK(diagnosis.read.confidence != Confidence::certain);
  REQUIRE(diagnosis.read.next);
  CHECK(diagnosis.read.next->rate == test::mbit(2354));
}

TEST_CASE("a direction that could not be measured says why") {
  auto evidence = test::made_up_evidence({.link = 941, .one_stream = 939});
  evidence.experiments.push_back({.kind = evidence::ExperimentKind::copy,
                                  .direction = measure::Direction::write,
                                  .outcome = evidence::Outcome::failed,
                                  .failure = "the mount stopped answering after 12 MB"});
  const auto diagnosis = verdict::decide(evidence);
  CHECK_FALSE(diagnosis.write.limiting_layer);
  CHECK_THAT(diagnosis.write.evidence.at(0), Catch::Contains("stopped answering"));
  CHECK_THAT(diagnosis.read.evidence.at(0), Catch::Contains("not measured"));
}

TEST_CASE("the verdict is a function of the evidence alone") {
  const auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  CHECK(verdict::decide(evidence) == verdict::decide(evidence));
}
