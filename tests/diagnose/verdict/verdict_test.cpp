#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/verdict.hpp>

#include <catch2/catch.hpp>

#include <chrono>

using namespace nasdiag;
using verdict::Confidence;
using verdict::Layer;

TEST_CASE("a full link is nothing wrong, and says so") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 905, 890});
  // A short file says nothing about what the NAS's memory and cache could not hold.
  CHECK(verdict::decide(evidence).write.confidence == Confidence::likely);
  CHECK(verdict::decide(evidence).read.confidence == Confidence::likely);
  for (auto& experiment : evidence.experiments)
    if (auto* transfer = std::get_if<filebench::TransferResult>(&experiment.result))
      transfer->amount = measure::ByteCount::gibibytes(4);
  const auto diagnosis = verdict::decide(evidence);
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
}

TEST_CASE("a write that failed has no rate, however fast it went until then") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 915, {}});
  for (auto& experiment : evidence.experiments)
    if (std::holds_alternative<filebench::TransferResult>(experiment.result)) {
      experiment.outcome = evidence::Outcome::failed;
      experiment.failure = "write on the mount failed after 175 MB: No space left on device.";
    }
  const auto verdict = verdict::decide(evidence).write;
  CHECK_FALSE(verdict.limiting_layer);
  CHECK_FALSE(verdict.figures.job());
  CHECK_THAT(verdict.evidence.at(0), Catch::Contains("No space left"));
}

TEST_CASE("nothing is likely of a copy that failed, and its failure comes first") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 935, {}});
  CHECK(verdict::decide(evidence).write.confidence == Confidence::likely);
  evidence.experiments.push_back({.kind = evidence::ExperimentKind::copy,
                                  .direction = measure::Direction::write,
                                  .outcome = evidence::Outcome::failed,
                                  .failure = "write on the mount failed: No space left on device."});
  const auto verdict = verdict::decide(evidence).write;
  CHECK(verdict.limiting_layer == Layer::link);
  CHECK(verdict.confidence == Confidence::possible);
  CHECK_THAT(verdict.evidence.at(1), Catch::Contains("The copy itself failed"));
  CHECK_THAT(verdict.settle_by.value(), Catch::Contains("Cure"));
}

TEST_CASE("where the NAS's disk limits, its figure is what the job got, not what came out of the NAS's memory") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 932, 450});
  evidence.experiments.push_back(
      test::file_experiment(evidence::ExperimentKind::mount_again, measure::Direction::read, 938));
  const auto verdict = verdict::decide(evidence).read;
  REQUIRE(verdict.limiting_layer == Layer::nas_disk);
  CHECK(verdict.figures.of(Layer::nas_disk)->rate.value == test::mbit(450));
}

TEST_CASE("without a file job the network alone is judged, and the job is said to be missing") {
  const auto diagnosis = verdict::decide(test::made_up_evidence({.link = 9415, .one_stream = 4707}));
  CHECK(diagnosis.write.limiting_layer);
  CHECK_THAT(diagnosis.write.evidence.at(0), Catch::Contains("network only"));
  CHECK_THAT(diagnosis.write.missing.at(0), Catch::Contains("a file over the mount"));
}

TEST_CASE("the verdict is a function of the evidence alone") {
  const auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  CHECK(verdict::decide(evidence) == verdict::decide(evidence));
}

TEST_CASE("a job as fast as the NAS's own disk is limited by it") {
  auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, {}, 880});
  diskbench::DiskResult result;
  result.write = diskbench::DirectionResult{.throughput = test::mbit(940)};
  evidence.experiments.push_back({.kind = evidence::ExperimentKind::nas_disk,
                                  .direction = measure::Direction::write,
                                  .outcome = evidence::Outcome::ok,
                                  .result = result});
  const auto verdict = verdict::decide(evidence).write;
  CHECK(verdict.limiting_layer == Layer::nas_disk);
  CHECK(verdict.cause == "nas-disk/slow-hdd");
  CHECK(verdict.confidence == Confidence::likely);
}

TEST_CASE("what the first fix would gain, and a second one after it") {
  auto evidence = test::made_up_evidence({9415, 4700, 4690, 8000, 700, 500});
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::gvfs, .protocol = "gvfs-smb"};
  const auto verdict = verdict::decide(evidence).read;
  REQUIRE(verdict.next);
  CHECK(verdict.next->layer == Layer::path);
  CHECK(verdict.next->rate == test::mbit(4700));
  CHECK(verdict.next->gain == Approx(8.4));
  REQUIRE(verdict.after_next);
  CHECK(verdict.after_next->layer == Layer::client_disk);
  CHECK(verdict.after_next->rate == test::mbit(8000));
}

TEST_CASE("what isn't certain names at most one other layer, and what would settle it") {
  for (const double copy : {20.0, 200.0, 420.0, 700.0}) {
    const auto diagnosis = verdict::decide(test::made_up_evidence({941, 940, 939, 8000, {}, copy}));
    for (const auto* verdict : {&diagnosis.write, &diagnosis.read}) {
      INFO(copy << " " << verdict->cause);
      std::size_t others = 0;
      for (const auto& other : verdict->alternatives)
        others += other.layer != verdict->limiting_layer ? 1U : 0U;
      CHECK(others <= 1);
      if (verdict->confidence == Confidence::possible) CHECK(verdict->settle_by);
    }
  }
}

TEST_CASE("a verdict takes less than 50 ms") {
  auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  for (auto& experiment : evidence.experiments)
    if (auto* transfer = std::get_if<filebench::TransferResult>(&experiment.result))
      for (int i = 0; i < 3000; ++i)  // five minutes in tenths of a second
        transfer->samples.push_back(
            {measure::Seconds(0.1 * i), measure::Seconds(0.1), measure::ByteCount::mebibytes(i % 7 + 5)});
  constexpr int kTimes = 20;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) CHECK(verdict::decide(evidence).read.limiting_layer);
  CHECK(std::chrono::steady_clock::now() - begin < kTimes * std::chrono::milliseconds(50));
}

TEST_CASE("connections through which no payload comes are a matter of frame sizes") {
  auto evidence = test::made_up_evidence({.link = 990, .four_streams = 0, .one_stream = 0});
  for (auto& experiment : evidence.experiments)
    if (auto* result = std::get_if<netbench::TcpResult>(&experiment.result))
      result->notes.push_back({"nothing-arrived", measure::Severity::warning, "none of the payload arrived"});
  evidence.experiments.push_back({.kind = evidence::ExperimentKind::mount_to_memory,
                                  .direction = measure::Direction::write,
                                  .outcome = evidence::Outcome::failed,
                                  .failure = "the mount stopped answering"});
  const auto diagnosis = verdict::decide(evidence);
  CHECK(diagnosis.write.cause == "path/mtu-mismatch");
  CHECK(diagnosis.read.limiting_layer == verdict::Layer::path);
  evidence.facts.route.emplace().tunnel = true;
  CHECK(verdict::decide(evidence).write.cause == "path/vpn-mtu");
}
