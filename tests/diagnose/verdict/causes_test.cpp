#include "support/made_up_evidence.hpp"

#include <diagnose/verdict/verdict.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using measure::Direction;
using verdict::Confidence;
using verdict::Layer;

namespace {

constexpr test::MadeUp kRouted{941, 940, 283, 8000, 260, 271};
constexpr test::MadeUp kSlowMount{941, 940, 939, 8000, 300, 290};

netbench::DirectionResult& flow(evidence::Evidence& evidence, evidence::ExperimentKind kind) {
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == kind && experiment.direction == Direction::write)
      return std::get<netbench::TcpResult>(experiment.result).directions.front();
  FAIL("no such experiment");
  throw std::logic_error("unreachable");
}

filebench::TransferResult& memory_write(evidence::Evidence& evidence) {
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == evidence::ExperimentKind::mount_to_memory &&
        experiment.direction == Direction::write)
      return std::get<filebench::TransferResult>(experiment.result);
  FAIL("no such experiment");
  throw std::logic_error("unreachable");
}

void add_saturation(evidence::Evidence& evidence, const char* code) {
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == evidence::ExperimentKind::copy)
      experiment.observation.emplace().saturations.push_back({code, "sshfs", 0.97, "sshfs kept a core busy"});
}

verdict::DirectionVerdict write_verdict(const evidence::Evidence& evidence) {
  return verdict::decide(evidence).write;
}

}  // namespace

TEST_CASE("one stream below several is told by what limits it") {
  struct Situation {
    netbench::Limit limit;
    bool gateway;
    Layer layer;
    const char* cause;
  };
  const auto situation =
      GENERATE(Situation{netbench::Limit::receive_window, false, Layer::tcp, "tcp/window"},
               Situation{netbench::Limit::send_buffer, false, Layer::tcp, "tcp/socket-buffer"},
               Situation{netbench::Limit::congestion, false, Layer::path, "path/packet-loss"},
               Situation{netbench::Limit::path_rate, true, Layer::path, "path/router-cpu"},
               Situation{netbench::Limit::path_rate, false, Layer::tcp, "tcp/single-stream"},
               Situation{netbench::Limit::sender, false, Layer::client_cpu, "client-cpu/small-cpu"},
               Situation{netbench::Limit::receiver, false, Layer::nas_cpu, "nas-cpu/small-cpu"});
  auto evidence = test::made_up_evidence(kRouted);
  flow(evidence, evidence::ExperimentKind::tcp_one_stream).limit.limit = situation.limit;
  if (situation.gateway) evidence.facts.route = evidence::RouteFacts{.gateway = "192.168.1.1"};
  const auto verdict = write_verdict(evidence);
  REQUIRE(verdict.limiting_layer);
  CHECK(to_string(*verdict.limiting_layer) == to_string(situation.layer));
  CHECK(verdict.cause == situation.cause);
}

TEST_CASE("streams that add up to a gigabit say nothing about a port of that speed") {
  auto evidence = test::made_up_evidence({2354, 941, 280, 8000, 223, 245});
  CHECK(write_verdict(evidence).cause != "link/negotiated-speed");
  flow(evidence, evidence::ExperimentKind::tcp_one_stream).limit.limit = netbench::Limit::congestion;
  CHECK(write_verdict(evidence).cause == "path/packet-loss");
}

TEST_CASE("several streams below the link are told by the way") {
  const test::MadeUp slow_path{2354, 941, 940, 8000, 900, 880};
  auto evidence = test::made_up_evidence(slow_path);
  SECTION("exactly gigabit: a port on the way") {
    CHECK(write_verdict(evidence).cause == "link/negotiated-speed");
    CHECK(write_verdict(evidence).limiting_layer == Layer::link);
  }
  SECTION("through a router") {
    evidence.facts.route = evidence::RouteFacts{.gateway = "192.168.1.1"};
    CHECK(write_verdict(evidence).cause == "path/router-port-speed");
  }
  SECTION("over Wi-Fi") {
    evidence.facts.route = evidence::RouteFacts{.wifi = true};
    CHECK(write_verdict(evidence).cause == "path/wifi");
  }
  SECTION("through a tunnel") {
    evidence.facts.route = evidence::RouteFacts{.tunnel = true};
    CHECK(write_verdict(evidence).cause == "path/vpn");
  }
}

TEST_CASE("a full link of 100 Mbit/s, or on a slow bus, is a fault and no limit to live with") {
  auto evidence = test::made_up_evidence({94.1, 94, 94, 8000, 90, 89});
  CHECK(write_verdict(evidence).cause == "link/negotiated-speed");
  evidence = test::made_up_evidence({300, 290, 290, 8000, 285, 280});
  evidence.link.limited_by = "usb-bus";
  CHECK(write_verdict(evidence).cause == "link/usb-bus-speed");
}

TEST_CASE("a write that mostly waits for its flush points to the NAS's disk") {
  auto evidence = test::made_up_evidence(kSlowMount);
  auto& write = memory_write(evidence);
  write.accepted_rate = test::mbit(700);
  write.flush_time = measure::Seconds(2.2);
  write.window = measure::Seconds(4);
  const auto verdict = write_verdict(evidence);
  CHECK(verdict.limiting_layer == Layer::nas_disk);
  CHECK(verdict.confidence != Confidence::certain);
  CHECK_FALSE(verdict.alternatives.empty());
  CHECK(verdict.settle_by);
}

TEST_CASE(
    "a read that the NAS's memory makes much faster is limited by its disk, one that stays slow is not") {
  auto evidence = test::made_up_evidence(kSlowMount);
  evidence.experiments.push_back(
      test::file_experiment(evidence::ExperimentKind::mount_again, Direction::read, 310));
  CHECK(verdict::decide(evidence).read.limiting_layer == Layer::mount);
  evidence.experiments.back() =
      test::file_experiment(evidence::ExperimentKind::mount_again, Direction::read, 900);
  const auto verdict = verdict::decide(evidence).read;
  CHECK(verdict.limiting_layer == Layer::nas_disk);
  CHECK(verdict.confidence == Confidence::likely);
  REQUIRE(verdict.figures.of(Layer::nas_disk));
  CHECK(verdict.figures.of(Layer::nas_disk)->rate.value == test::mbit(290));
  CHECK(verdict.figures.of(Layer::nas_disk)->source == verdict::Source::derived);
}

TEST_CASE("small pieces that stay far below large ones out of the NAS's memory, too, are no matter of its disk") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 778, 186});
  evidence.experiments.push_back(
      test::file_experiment(evidence::ExperimentKind::mount_again, Direction::read, 317));
  CHECK(verdict::decide(evidence).read.limiting_layer == Layer::mount);
}

TEST_CASE("the flush after a steady write is no fall of its rate") {
  auto evidence = test::made_up_evidence(kSlowMount);
  auto& write = memory_write(evidence);
  for (int i = 0; i < 80; ++i)
    write.samples.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                             test::mbit(i < 65 ? 700 : 0) * measure::Seconds(0.1)});
  write.accepted_after = measure::Seconds(6.5);
  write.flush_time = measure::Seconds(1.5);
  write.window = measure::Seconds(8);
  write.accepted_rate = test::mbit(700);
  CHECK(write_verdict(evidence).limiting_layer == Layer::mount);
}

TEST_CASE("a copy that falls although the write before it went further has filled up what holds both") {
  auto evidence = test::made_up_evidence(kSlowMount);
  auto& write = memory_write(evidence);
  write.amount = measure::ByteCount::mebibytes(470);
  for (int i = 0; i < 40; ++i)
    write.samples.push_back(
        {measure::Seconds(0.1 * i), measure::Seconds(0.1), test::mbit(930) * measure::Seconds(0.1)});
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == evidence::ExperimentKind::copy && experiment.direction == Direction::write)
      for (int i = 0; i < 60; ++i)
        std::get<filebench::TransferResult>(experiment.result)
            .samples.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                                test::mbit(i < 11 ? 930 : 120) * measure::Seconds(0.1)});
  CHECK(write_verdict(evidence).cause == "nas-disk/write-cache-exhausted");
}

TEST_CASE("a NAS that takes data in bursts with its window closed between them waits for its disk") {
  auto evidence = test::made_up_evidence(kSlowMount);
  add_saturation(evidence, "window-closed");
  for (auto& experiment : evidence.experiments)
    if (experiment.kind == evidence::ExperimentKind::copy && experiment.direction == Direction::write)
      for (int i = 0; i < 60; ++i)
        std::get<filebench::TransferResult>(experiment.result)
            .samples.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                                test::mbit(i % 3 == 0 ? 900 : 150) * measure::Seconds(0.1)});
  CHECK(write_verdict(evidence).limiting_layer == Layer::nas_disk);
}

TEST_CASE("what a kernel mount accepts into this computer's memory says nothing about the NAS's disk") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 500, 480});
  auto& write = memory_write(evidence);
  write.accepted_rate = test::mbit(5500);
  write.flush_time = write.window * 0.85;
  CHECK(write_verdict(evidence).limiting_layer == Layer::mount);
}

TEST_CASE("a write that falls to a lower level after some bytes used up a cache") {
  auto evidence = test::made_up_evidence(kSlowMount);
  auto& samples = memory_write(evidence).samples;
  for (int i = 0; i < 60; ++i)
    samples.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                       test::mbit(i < 30 ? 900 : 160) * measure::Seconds(0.1)});
  CHECK(write_verdict(evidence).cause == "nas-disk/write-cache-exhausted");
}

TEST_CASE("a file whose rate goes between the full link and a tenth of it crossed a bad cable") {
  const auto with_a_slow_half = [](double megabits) {
    auto evidence = test::made_up_evidence(kSlowMount);
    auto& samples = memory_write(evidence).samples;
    for (int i = 0; i < 40; ++i)
      samples.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                         test::mbit(i < 20 ? megabits : 920) * measure::Seconds(0.1)});
    return write_verdict(evidence).cause;
  };
  CHECK(with_a_slow_half(93) == "link/cable");
  CHECK(with_a_slow_half(84) == "link/cable");
  CHECK(with_a_slow_half(120) != "link/cable");
  CHECK(with_a_slow_half(60) != "link/cable");
}

TEST_CASE("busy programs of a user-space mount make it certain, idle ones do not") {
  auto evidence = test::made_up_evidence(kSlowMount);
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::sshfs, .protocol = "sshfs"};
  CHECK(write_verdict(evidence).confidence == Confidence::likely);
  add_saturation(evidence, "mount-thread");
  CHECK(write_verdict(evidence).confidence == Confidence::certain);
  CHECK(write_verdict(evidence).cause == "mount/fuse-layer");
}

TEST_CASE(
    "a busy program of the mount on a processor that plain TCP fills as well is not blamed with certainty") {
  auto evidence = test::made_up_evidence({941, 800, 410, 8000, 193, 173});
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::sshfs, .protocol = "sshfs"};
  add_saturation(evidence, "mount-thread");
  CHECK(write_verdict(evidence).cause == "mount/fuse-layer");
  CHECK(write_verdict(evidence).confidence == Confidence::certain);
  flow(evidence, evidence::ExperimentKind::tcp_one_stream).limit.limit = netbench::Limit::sender;
  CHECK(write_verdict(evidence).cause == "client-cpu/small-cpu");
  CHECK(write_verdict(evidence).confidence == Confidence::likely);
}

TEST_CASE("an SMB mount without cache waits for each of the program's requests") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 700, 110});
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::cifs, .protocol = "smb3.1.1"};
  evidence.facts.mount->suspicious = {{"smb-no-cache", measure::Severity::warning, "use cache=strict"}};
  const auto diagnosis = verdict::decide(evidence);
  CHECK(diagnosis.write.cause == "mount/small-write-size");
  CHECK(diagnosis.read.cause == "mount/small-read-size");
  CHECK(diagnosis.read.advice.front() == "use cache=strict");
}

namespace {

// One stream's rate in tenths of a second, around its mean by turns.
void let_stream_vary(evidence::Evidence& evidence, netbench::Limit limit, double by) {
  for (auto& experiment : evidence.experiments) {
    auto* result = std::get_if<netbench::TcpResult>(&experiment.result);
    if (result == nullptr) continue;
    netbench::DirectionResult& flow = result->directions.front();
    flow.limit.limit = limit;
    if (experiment.kind != evidence::ExperimentKind::tcp_one_stream) continue;
    flow.sent = flow.throughput * measure::Seconds(2);
    flow.retransmits = flow.sent.bytes() / 1448 / 500;  // two in a thousand
    for (int i = 0; i < 20; ++i)
      flow.series.push_back({measure::Seconds(0.1 * i), measure::Seconds(0.1),
                             flow.throughput * (i % 2 == 0 ? 1 + by : 1 - by) * measure::Seconds(0.1)});
  }
}

}  // namespace

TEST_CASE("few losses hold a stream if its rate goes up and down, and are a policy if it is even") {
  auto evidence = test::made_up_evidence({2354, 780, 250, 8000, 230, 230});
  let_stream_vary(evidence, netbench::Limit::congestion, 0.3);
  CHECK(write_verdict(evidence).cause == "path/packet-loss");
  evidence = test::made_up_evidence({2354, 780, 250, 8000, 230, 230});
  let_stream_vary(evidence, netbench::Limit::congestion, 0.01);
  CHECK(write_verdict(evidence).cause != "path/packet-loss");
}

TEST_CASE("an even rate that packets queue for is no full processor") {
  const auto read_cause = [](double by) {
    evidence::Evidence evidence;
    test::add(evidence, Direction::write, {941, 940, 939, 8000, 900, 890});
    test::add(evidence, Direction::read, {941, 282, 282, 8000, 280, 275});
    let_stream_vary(evidence, netbench::Limit::path_rate, by);
    return verdict::decide(evidence).read.cause;
  };
  CHECK(read_cause(0.1) == "nas-cpu/irq-single-core");
  CHECK(read_cause(0.005) != "nas-cpu/irq-single-core");
}

TEST_CASE("a read-ahead that holds no more than the rate for its round trip is the mount's limit") {
  auto evidence = test::made_up_evidence({941, 940, 939, 8000, 500, 120});
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::nfs, .protocol = "nfs4.2"};
  evidence.facts.mount->read_ahead = measure::ByteCount::kibibytes(128);
  evidence.facts.mount->read_request_size = measure::ByteCount::mebibytes(1);
  evidence.told.round_trip = measure::Seconds(0.020);
  CHECK(verdict::decide(evidence).read.cause == "mount/nfs-readahead");
  evidence.told.round_trip = measure::Seconds(0.0002);
  CHECK(verdict::decide(evidence).read.cause != "mount/nfs-readahead");
  evidence.facts.mount->read_ahead = measure::ByteCount::mebibytes(15);
  evidence.told.round_trip = measure::Seconds(0.020);
  CHECK(verdict::decide(evidence).read.cause != "mount/nfs-readahead");
}

TEST_CASE("a suspicious option is a cause in its own direction only") {
  auto evidence = test::made_up_evidence(kSlowMount);
  evidence.facts.mount = filebench::Mount{.kind = filebench::MountKind::nfs, .protocol = "nfs4.2"};
  evidence.facts.mount->suspicious = {
      {"nfs-small-read-ahead", measure::Severity::warning, "set read_ahead_kb to 4096"}};
  const auto diagnosis = verdict::decide(evidence);
  CHECK(diagnosis.read.cause == "mount/nfs-readahead");
  CHECK(diagnosis.read.advice.front() == "set read_ahead_kb to 4096");
  CHECK(diagnosis.write.cause != "mount/nfs-readahead");
  CHECK(diagnosis.write.confidence == Confidence::possible);
  CHECK(diagnosis.write.settle_by);
}

TEST_CASE("a mount whose one connection suffers from a small window is not blamed alone") {
  auto evidence = test::made_up_evidence({941, 350, 183, 8000, 90, 85});
  flow(evidence, evidence::ExperimentKind::tcp_one_stream).limit.limit = netbench::Limit::receive_window;
  const auto verdict = write_verdict(evidence);
  CHECK(verdict.limiting_layer == Layer::tcp);
  CHECK(verdict.cause == "tcp/window");
  CHECK(verdict.confidence == Confidence::possible);
  CHECK(verdict.alternatives.front().layer == Layer::mount);
}

TEST_CASE("programs under a processor quota are named, though they look idle") {
  auto evidence = test::made_up_evidence(kSlowMount);
  add_saturation(evidence, "cpu-quota");
  CHECK(write_verdict(evidence).cause == "client-cpu/quota");
}
