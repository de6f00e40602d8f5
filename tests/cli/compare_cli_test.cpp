#include "support/made_up_evidence.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/report_json.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using Catch::Matchers::Contains;
using test::run_program;

namespace {

std::string saved(const test::TempDir& dir, const std::string& name, const test::MadeUp& figures) {
  std::string file = dir.path() / name;
  report::write_text_file(
      file, report::json_text(report::to_json(report::make_report(test::made_up_evidence(figures)))));
  return file;
}

}  // namespace

TEST_CASE("two saved reports are compared, with both verdicts") {
  const test::TempDir dir;
  const auto before = saved(dir, "before.json", {941, 940, 939, 8000, 905, 890});
  const auto after = saved(dir, "after.json", {9415, 9400, 9300, 8000, 3000, 2670});
  const auto ended = run_program({"compare", before, after});
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out, Contains("+200 %") && Contains("the link limits") && Contains("the mount limits"));
}

TEST_CASE("scripts can ask whether a copy became slower") {
  const test::TempDir dir;
  const auto before = saved(dir, "before.json", {.copy = 800});
  const auto after = saved(dir, "after.json", {.copy = 600});
  CHECK(run_program({"compare", before, after, "--fail-if-slower", "10%"}).exit_code == 4);
  CHECK(run_program({"compare", before, after, "--fail-if-slower", "30%"}).exit_code == 0);
  const auto ended = run_program({"compare", before, after, "--json", "-"});
  CHECK(boost::json::parse(ended.out).at("format") == "nasdiag-comparison");
}

TEST_CASE("a report that isn't there, or isn't one, is named") {
  const test::TempDir dir;
  const auto good = saved(dir, "good.json", {.copy = 800});
  const std::string bad = dir.path() / "bad.json";
  report::write_text_file(bad, "{}");
  const std::vector<std::string> home{"XDG_STATE_HOME=" + dir.path().string()};
  const auto absent = run_program({"compare", good, "last summer"}, home);
  CHECK(absent.exit_code == 3);
  CHECK_THAT(absent.err, Contains("last summer"));
  const auto wrong = run_program({"compare", good, bad}, home);
  CHECK(wrong.exit_code == 3);
  CHECK_THAT(wrong.err, Contains("bad.json is not a report"));
}

TEST_CASE("a labelled run is kept, listed, shown and compared by its label") {
  const test::TempDir dir;
  const std::vector<std::string> home{"XDG_STATE_HOME=" + (dir.path() / "state").string()};
  const std::string folder = dir.path() / "files";
  std::filesystem::create_directory(folder);
  const auto run = run_program(
      {"run", "--mount", folder, "--local", folder, "--budget", "10s", "--label", "first try"}, home);
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run_program({"history"}, home).out, Contains("first try"));
  CHECK_THAT(run_program({"show", "first try"}, home).out, Contains("“first try”"));
  CHECK_THAT(run_program({"compare", "first try", "first try"}, home).out, Contains("no difference seen"));
}
