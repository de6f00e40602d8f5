#include "offset_sequence.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <set>
#include <vector>

using nasdiag::diskbench::OffsetSequence;
using nasdiag::diskbench::Order;

namespace {

std::vector<std::uint64_t> take(OffsetSequence& sequence, std::size_t count) {
  std::vector<std::uint64_t> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(sequence.next());
  return blocks;
}

}  // namespace

TEST_CASE("a sequential order counts up and wraps around") {
  OffsetSequence sequence(Order::sequential, 3, 1);
  CHECK(take(sequence, 7) == std::vector<std::uint64_t>{0, 1, 2, 0, 1, 2, 0});
  CHECK(sequence.pass() == 3);
}

TEST_CASE("a random map visits every block once before any twice") {
  const std::uint64_t blocks = GENERATE(as<std::uint64_t>{}, 1, 2, 3, 5, 64, 100, 1000, 4097);
  OffsetSequence sequence(Order::random_map, blocks, 7);
  for (int pass = 0; pass < 3; ++pass) {
    const auto visited = take(sequence, blocks);
    const std::set<std::uint64_t> different(visited.begin(), visited.end());
    REQUIRE(different.size() == blocks);
    REQUIRE(*different.rbegin() == blocks - 1);
  }
}

TEST_CASE("a random map is another one in each pass and for each seed") {
  OffsetSequence one(Order::random_map, 1000, 1);
  OffsetSequence same(Order::random_map, 1000, 1);
  OffsetSequence other(Order::random_map, 1000, 2);
  const auto first = take(one, 1000);
  CHECK(first == take(same, 1000));
  CHECK(first != take(other, 1000));
  CHECK(first != take(one, 1000));
}

TEST_CASE("a random order looks random: neighbours lie far apart, all quarters are visited alike") {
  const Order order = GENERATE(Order::random, Order::random_map);
  constexpr std::uint64_t kBlocks = 100'000;
  OffsetSequence sequence(order, kBlocks, 3);
  const auto visited = take(sequence, 40'000);
  std::vector<int> quarters(4);
  std::uint64_t near = 0;
  for (std::size_t i = 0; i < visited.size(); ++i) {
    REQUIRE(visited[i] < kBlocks);
    ++quarters[visited[i] * 4 / kBlocks];
    if (i > 0 && std::llabs(static_cast<long long>(visited[i] - visited[i - 1])) < 100) ++near;
  }
  for (const int count : quarters) CHECK(count == Approx(10'000).epsilon(0.05));
  CHECK(near < 200);  // 80 expected
}
