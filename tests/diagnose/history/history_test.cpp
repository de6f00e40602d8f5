#include "support/made_up_evidence.hpp"
#include "support/temp_dir.hpp"

#include <diagnose/history/history.hpp>

#include <catch2/catch.hpp>

#include <fstream>

using namespace nasdiag;

namespace {

report::Report labelled(const std::string& label, const std::string& started_at) {
  auto evidence = test::made_up_evidence({.copy = 500});
  evidence.label = label;
  evidence.started_at = started_at;
  return report::make_report(evidence);
}

}  // namespace

TEST_CASE("a report is found by its label, the newest of several") {
  const test::TempDir dir;
  history::save(labelled("before 10G NIC", "2026-01-01T00:00:00Z"), dir.path());
  const auto newest = history::save(labelled("before 10G NIC", "2026-03-01T00:00:00Z"), dir.path());
  history::save(labelled("after", "2026-04-01T00:00:00Z"), dir.path());
  CHECK(history::find("before 10G NIC", dir.path()) == newest);
  CHECK(history::find(newest.string(), dir.path()) == newest);
  CHECK(history::list(dir.path()).size() == 3);
  CHECK(history::list(dir.path()).front().started_at == "2026-01-01T00:00:00Z");
}

TEST_CASE("saving never replaces a report") {
  const test::TempDir dir;
  const auto first = history::save(labelled("same", "2026-01-01T00:00:00Z"), dir.path());
  const auto second = history::save(labelled("same", "2026-01-01T00:00:00Z"), dir.path());
  CHECK(first != second);
  CHECK(history::list(dir.path()).size() == 2);
}

TEST_CASE("a label can't lead out of the folder") {
  const test::TempDir dir;
  const auto file = history::save(labelled("../../etc/x y", "2026-01-01T00:00:00Z"), dir.path() / "reports");
  CHECK(file.parent_path() == dir.path() / "reports");
}

TEST_CASE("an unknown name says which labels there are") {
  const test::TempDir dir;
  history::save(labelled("before", "2026-01-01T00:00:00Z"), dir.path());
  std::ofstream(dir.path() / "damaged.json") << "{";
  CHECK_THROWS_WITH(history::find("befor", dir.path()), Catch::Contains("\"before\""));
  CHECK(history::list(dir.path() / "absent").empty());
}
