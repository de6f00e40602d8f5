#include "support/program.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/measure_json.hpp>

#include <catch2/catch.hpp>

#include <sstream>

using Catch::Matchers::Contains;
using namespace nasdiag;
using nasdiag::test::run_program;

TEST_CASE("facts are shown and saved") {
  const auto shown = run_program({"facts", "--server", "127.0.0.1", "--local", "/tmp"});
  INFO(shown.err);
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, Contains("Host ") && Contains("this very machine") && Contains("Local "));
  const auto saved = run_program({"facts", "--server", "127.0.0.1", "--json", "-"});
  CHECK(saved.exit_code == 0);
  const auto json = boost::json::parse(saved.out).as_object();
  CHECK(json.at("format") == "nasdiag-facts");
  CHECK(report::object_at(report::object_at(json, "facts"), "host").contains("kernel"));
}

TEST_CASE("watching prints one line of JSON for each look, and ends in time") {
  const auto watched =
      run_program({"watch", "--server", "127.0.0.1", "--interval", "200ms", "--seconds", "0.5", "--json"});
  INFO(watched.err);
  CHECK(watched.exit_code == 0);
  std::istringstream lines(watched.out);
  int looks = 0;
  for (std::string line; std::getline(lines, line); ++looks) {
    const auto look = boost::json::parse(line).as_object();
    CHECK(report::seconds_at(look, "length").value_or(measure::Seconds(0)) > measure::Seconds(0.1));
    CHECK(look.contains("saturations"));
  }
  CHECK(looks >= 1);
}

TEST_CASE("the screen of watch names what it watches") {
  const auto watched = run_program({"watch", "--mount", "/tmp", "--seconds", "0.3", "--interval", "300ms"});
  INFO(watched.err);
  CHECK(watched.exit_code == 0);
  CHECK_THAT(watched.out, Catch::StartsWith("nasdiag watch: ") && Contains("Cores"));
}

TEST_CASE("facts and watch say what is missing or can't be") {
  struct Wrong {
    std::vector<std::string> words;
    int exit_code;
    const char* says;
  };
  const auto wrong =
      GENERATE(Wrong{{"facts"}, 2, "nothing to look at"}, Wrong{{"watch", "--json"}, 2, "nothing to look at"},
               Wrong{{"watch", "--mount", "/tmp", "--interval", "1ms"}, 2, "between 200ms and 1m"},
               Wrong{{"facts", "--mount", "/no/such/folder"}, 3, "/no/such/folder"});
  const auto ended = run_program(wrong.words);
  INFO(ended.err);
  CHECK(ended.exit_code == wrong.exit_code);
  CHECK_THAT(ended.err, Contains(wrong.says));
  CHECK(ended.out.empty());
}
