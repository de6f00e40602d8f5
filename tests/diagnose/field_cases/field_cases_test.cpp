#include "judged_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace nasdiag::test;
using Catch::WithinRel;
using nasdiag::measure::Direction;

namespace {

const std::vector<FieldCase>& all_cases() {
  static const std::vector<FieldCase> cases =
      read_field_cases(std::string(NASDIAG_TEST_DATA) + "/field-cases/cases.json");
  return cases;
}

const FieldCase& case_named(const std::string& id) {
  const auto found =
      std::find_if(all_cases().begin(), all_cases().end(), [&](const auto& c) { return c.id == id; });
  REQUIRE(found != all_cases().end());
  return *found;
}

}  // namespace

TEST_CASE("field cases are read with their figures in the right direction") {
  CHECK(all_cases().size() == 114);
  std::set<std::string> ids;
  for (const FieldCase& field_case : all_cases()) ids.insert(field_case.id);
  CHECK(ids.size() == all_cases().size());

  const FieldCase& gvfs = case_named("seed3-gvfs-2500-truenas");
  CHECK(gvfs.link_mbit == 2500);
  CHECK(gvfs.write.tcp_one_stream_mbit == 2360);
  CHECK(gvfs.write.file_mbyte == 150);
  CHECK(gvfs.read.file_mbyte == 62);
  CHECK(gvfs.read.nas_disk_mbyte == 4273);
  CHECK(gvfs.read.limiting_layer == "mount");
}

TEST_CASE("a field case becomes the evidence of its figures and no more") {
  const auto evidence = evidence_of(case_named("seed3-gvfs-2500-truenas"));
  REQUIRE(evidence.facts.mount);
  CHECK(evidence.facts.mount->kind == nasdiag::filebench::MountKind::gvfs);
  REQUIRE(evidence.link.rate);
  CHECK_THAT(evidence.link.rate->megabits_per_second(), WithinRel(2354.0, 0.01));
  CHECK(evidence.find(nasdiag::evidence::ExperimentKind::copy, Direction::read));
  CHECK(evidence.find(nasdiag::evidence::ExperimentKind::tcp_one_stream, Direction::write));
  CHECK_FALSE(evidence.find(nasdiag::evidence::ExperimentKind::tcp_one_stream, Direction::read));
}

TEST_CASE("mount options of a field case are read, what belongs to the export is not") {
  const auto timeo = evidence_of(case_named("ltsp-nfs-timeo-7")).facts.mount;
  REQUIRE(timeo);
  REQUIRE(timeo->option("timeo"));
  CHECK(*timeo->option("timeo") == "7");
  CHECK(timeo->read_request_size == nasdiag::measure::ByteCount::mebibytes(1));
  const auto exported = evidence_of(case_named("nfs-export-sync-home-35")).facts.mount;
  REQUIRE(exported);
  CHECK_FALSE(exported->option("sync"));
}

TEST_CASE("no field case is answered wrongly with certainty") {
  for (const JudgedCase& judged : judge(all_cases())) {
    INFO(judged.id << ", " << to_string(judged.direction) << ": expected " << judged.expected_layer
                   << ", said " << judged.said_layer << " " << judged.said_cause);
    CHECK_FALSE(judged.certain_and_wrong());
  }
}

TEST_CASE("a field case without a verdict is told why") {
  for (const JudgedCase& judged : judge(all_cases())) {
    INFO(judged.id << ", " << to_string(judged.direction));
    CHECK(judged.says_why);
  }
}

TEST_CASE("most field cases are answered with the right layer, or name it beside another") {
  std::size_t jobs = 0, jobs_right = 0, enough = 0, enough_right = 0;
  for (const JudgedCase& judged : judge(all_cases())) {
    jobs += judged.has_job ? 1U : 0U;
    jobs_right += judged.has_job && judged.layer_named ? 1U : 0U;
    enough += judged.enough_figures ? 1U : 0U;
    enough_right += judged.enough_figures && judged.layer_named ? 1U : 0U;
  }
  INFO(jobs_right << " of " << jobs << ", with a TCP rate " << enough_right << " of " << enough);
  CHECK(jobs >= 50);
  CHECK(jobs_right * 100 >= jobs * 80);
  CHECK(enough_right == enough);
}
