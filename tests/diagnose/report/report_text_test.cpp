#include "support/made_up_evidence.hpp"

#include <diagnose/report/report_text.hpp>

#include <catch2/catch.hpp>

#include <sstream>

using namespace nasdiag;
using Catch::Matchers::Contains;

TEST_CASE("every figure is shown in bits and in bytes") {
  const std::string text =
      report_text(report::make_report(test::made_up_evidence({941, 940, 939, 8000, 905, 890})), {});
  CHECK_THAT(text, Contains("941 Mbit/s"));
  CHECK_THAT(text, Contains("117.6 MB/s"));
  CHECK_THAT(text, Contains("the link limits"));
  CHECK_THAT(text, !Contains("\x1b["));
}

TEST_CASE("no line of the report is wider than asked for") {
  auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  evidence.experiments.erase(evidence.experiments.begin());
  for (const int width : {80, 100}) {
    std::istringstream lines(report_text(report::make_report(evidence), {.width = width}));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(report::columns(line) <= width);
    }
  }
}

TEST_CASE("what was not measured says so, with the reason once below") {
  auto evidence = test::made_up_evidence({.client_disk = 8000, .copy = 500});
  for (const auto direction : {measure::Direction::write, measure::Direction::read})
    for (const auto kind :
         {evidence::ExperimentKind::tcp_one_stream, evidence::ExperimentKind::tcp_four_streams})
      evidence.experiments.push_back(
          {.kind = kind, .direction = direction, .failure = "No server was given."});
  const std::string text = report_text(report::make_report(evidence), {});
  CHECK_THAT(text, Contains("not measured (2)"));
  CHECK_THAT(text, Contains("(2) No server was given."));
  CHECK(text.find("No server was given.") == text.rfind("No server was given."));
}

TEST_CASE("a demo says that it measured this machine only") {
  auto evidence = test::made_up_evidence({.copy = 500});
  evidence.settings.demo = true;
  CHECK_THAT(report_text(report::make_report(evidence), {}), Contains("measured this machine only"));
}

TEST_CASE("names from elsewhere can't send control characters to the terminal") {
  auto evidence = test::made_up_evidence({.copy = 500});
  evidence.label = "a\x1b[2Jb";
  CHECK_THAT(report_text(report::make_report(evidence), {}), !Contains("\x1b"));
}

TEST_CASE("bars are filled to an eighth of a column") {
  CHECK(report::bar(1, 3) == "███");
  CHECK(report::bar(0.5, 3) == "█▌ ");
  CHECK(report::bar(0, 2) == "  ");
  CHECK(report::bar(0.001, 2) == "▏ ");
  CHECK(report::bar(7, 2) == "██");
}
