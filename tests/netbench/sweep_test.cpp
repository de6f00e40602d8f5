#include <netbench/sweep.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag::netbench;
using nasdiag::measure::ByteCount;
using nasdiag::measure::DataRate;

namespace {

std::vector<StreamStep> steps(const std::vector<double>& megabits) {
  std::vector<StreamStep> all;
  int streams = 1;
  for (const double rate : megabits) {
    all.push_back({streams, DataRate::megabits_per_second(rate)});
    streams *= 2;
  }
  return all;
}

}  // namespace

TEST_CASE("a ceiling that all streams share is told from one of each") {
  CHECK(judge_ceiling(steps({941, 940})) == Ceiling::shared);
  CHECK(judge_ceiling(steps({930, 941, 942})) == Ceiling::shared);
  CHECK(judge_ceiling(steps({2630, 5100, 9240, 9240})) == Ceiling::per_flow);
  CHECK(judge_ceiling(steps({50, 100, 199, 390})) == Ceiling::per_flow);
  CHECK(judge_ceiling(steps({800, 941, 940})) == Ceiling::unknown);
  CHECK(judge_ceiling(steps({800})) == Ceiling::unknown);
  CHECK(judge_ceiling({}) == Ceiling::unknown);
}

TEST_CASE("the fewest streams that reach nearly the best are enough") {
  CHECK(enough_streams(steps({941, 940})) == 1);
  CHECK(enough_streams(steps({2630, 5100, 9240, 9300})) == 4);
}

TEST_CASE("a range of windows doubles from the first to the last") {
  const auto windows = parse_window_range("8k..64k");
  REQUIRE(windows);
  REQUIRE(windows->size() == 4);
  CHECK(windows->front() == ByteCount::kibibytes(8));
  CHECK(windows->back() == ByteCount::kibibytes(64));
  CHECK(parse_window_range("8k..20k")->back() == ByteCount::kibibytes(20));
  CHECK(parse_window_range("8k..8k")->size() == 1);
  for (const char* wrong : {"", "8k", "8k..", "..8k", "64k..8k", "8k..2T", "1..8k", "x..y"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_window_range(wrong));
  }
}
