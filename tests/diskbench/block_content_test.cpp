#include "block_content.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace nasdiag::diskbench;

namespace {

double bits_of_entropy_per_byte(const std::vector<std::byte>& memory) {
  std::array<double, 256> counts{};
  for (const std::byte value : memory) ++counts[static_cast<std::size_t>(value)];
  double bits = 0;
  for (const double count : counts)
    if (count > 0)
      bits -=
          count / static_cast<double>(memory.size()) * std::log2(count / static_cast<double>(memory.size()));
  return bits;
}

}  // namespace

TEST_CASE("random bytes have no structure a compressor could use") {
  std::vector<std::byte> memory(1 << 20);
  fill_random(memory, 42);
  CHECK(bits_of_entropy_per_byte(memory) > 7.999);
  std::set<std::uint64_t> words;
  for (std::size_t at = 0; at < memory.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory.data() + at, 8);
    words.insert(word);
  }
  CHECK(words.size() == memory.size() / 8);
}

TEST_CASE("random bytes fill any length, and differ by seed") {
  std::vector<std::byte> one(1000);
  std::vector<std::byte> other(1000);
  fill_random(one, 1);
  fill_random(other, 2);
  CHECK(one != other);
  CHECK(one.back() != std::byte{0});
}

TEST_CASE("no two stamped sectors are alike, within a block and between blocks") {
  std::vector<std::byte> block(std::size_t{16} * 1024);
  fill_random(block, 1);
  std::set<std::string> sectors;
  constexpr int kBlocks = 64;
  for (std::uint64_t serial = 0; serial < kBlocks; ++serial) {
    stamp(block, serial);
    for (std::size_t at = 0; at < block.size(); at += 512)
      sectors.emplace(reinterpret_cast<const char*>(block.data() + at), 512);
  }
  CHECK(sectors.size() == kBlocks * block.size() / 512);
}
