#include "support/made_up_evidence.hpp"

#include <diagnose/report/comparison.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nasdiag;
using report::Row;

namespace {

const report::RowChange& row(const report::Comparison& comparison, Row wanted, measure::Direction direction) {
  return *std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const auto& change) {
    return change.row == wanted && change.direction == direction;
  });
}

}  // namespace

TEST_CASE("a change is given per layer and direction") {
  const auto before = report::make_report(test::made_up_evidence({941, 940, 939, 8000, 905, 890}));
  const auto after = report::make_report(test::made_up_evidence({9415, 9400, 9300, 8000, 3000, 2670}));
  const auto comparison = report::compare(before, after);
  const auto& copy = row(comparison, Row::copy, measure::Direction::read);
  REQUIRE(copy.change);
  CHECK(*copy.change == Approx(2.0));
  CHECK(copy.seen);
  CHECK_FALSE(row(comparison, Row::client_disk, measure::Direction::write).seen);
  const std::string text = comparison_text(comparison, before, after, {});
  CHECK_THAT(text, Catch::Contains("+200 %"));
  CHECK_THAT(text, Catch::Contains("no difference seen"));
  CHECK_THAT(text, Catch::Contains("the link limits"));
}

TEST_CASE("differences between the machines are listed before the figures") {
  auto first = test::made_up_evidence({.copy = 500});
  auto second = first;
  first.facts.host.kernel = "6.1.0-18";
  second.facts.host.kernel = "6.1.0-22";
  second.settings.local_folder = "/data";
  const auto comparison = report::compare(report::make_report(first), report::make_report(second));
  CHECK(comparison.also_changed ==
        std::vector<std::string>{"local folder: /home/dan → /data", "kernel: 6.1.0-18 → 6.1.0-22"});
}

TEST_CASE("a slower copy fails the check, a slower disk alone does not") {
  const auto before = report::make_report(test::made_up_evidence({.client_disk = 8000, .copy = 800}));
  const auto slower = report::make_report(test::made_up_evidence({.client_disk = 8000, .copy = 700}));
  const auto slow_disk = report::make_report(test::made_up_evidence({.client_disk = 900, .copy = 800}));
  CHECK(report::slower_by(report::compare(before, slower), 0.10));
  CHECK_FALSE(report::slower_by(report::compare(before, slower), 0.20));
  CHECK_FALSE(report::slower_by(report::compare(before, slow_disk), 0.10));
}

TEST_CASE("a figure measured only once has no change") {
  const auto before = report::make_report(test::made_up_evidence({.copy = 800}));
  const auto after = report::make_report(test::made_up_evidence({.one_stream = 900, .copy = 800}));
  CHECK_FALSE(row(report::compare(before, after), Row::tcp, measure::Direction::write).change);
}
