#include <diagnose/formats/hand_figures.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using Catch::WithinRel;
using evidence::Evidence;
using evidence::ExperimentKind;
using formats::HandFigures;
using measure::DataRate;
using measure::Direction;

namespace {

Evidence evidence_of(const HandFigures& figures) {
  Evidence evidence;
  formats::add_hand_figures(figures, evidence);
  return evidence;
}

}  // namespace

TEST_CASE("a typed link is what it carries as payload, at the frame size told") {
  const auto rate = [](std::optional<int> mtu) {
    return evidence_of({.link = DataRate::megabits_per_second(10000), .mtu = mtu})
        .link.rate->megabits_per_second();
  };
  CHECK_THAT(rate({}), WithinRel(9415.0, 0.001));
  CHECK_THAT(rate(9000), WithinRel(9900.0, 0.001));
}

TEST_CASE("typed figures go where the job needs them: a write reads here and writes there") {
  HandFigures figures;
  figures.write.client_disk = DataRate::megabytes_per_second(500);
  figures.write.nas_disk = DataRate::megabytes_per_second(200);
  const Evidence evidence = evidence_of(figures);
  const auto* client = evidence.find(ExperimentKind::client_disk, Direction::write);
  const auto* nas = evidence.find(ExperimentKind::nas_disk, Direction::write);
  REQUIRE(client);
  REQUIRE(nas);
  CHECK(std::get<diskbench::DiskResult>(client->result).read);
  CHECK(std::get<diskbench::DiskResult>(nas->result).write);
  CHECK(client->origin == "typed by hand");
}

TEST_CASE("typed mount options are judged as the kernel's would be") {
  const Evidence evidence =
      evidence_of({.mount_kind = "nfs3", .mount_options = "rsize=wsize=8192, sync, timeo=14"});
  REQUIRE(evidence.facts.mount);
  CHECK(evidence.facts.mount->read_request_size == measure::ByteCount::kibibytes(8));
  std::vector<std::string> codes;
  for (const auto& note : evidence.facts.mount->suspicious) codes.push_back(note.code);
  CHECK_THAT(codes,
             Catch::Contains(std::vector<std::string>{"small-rsize", "mount-sync", "nfs-short-timeout"}));
}

TEST_CASE("what is known already is not replaced by what is typed") {
  Evidence evidence = evidence_of({.write = {.file = DataRate::megabytes_per_second(60)}});
  formats::add_hand_figures({.write = {.file = DataRate::megabytes_per_second(90)}}, evidence);
  REQUIRE(evidence.experiments.size() == 1);
  CHECK_THAT(
      std::get<filebench::TransferResult>(evidence.experiments.front().result).rate.megabytes_per_second(),
      WithinRel(60.0));
}
