#include "block_content.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nasdiag::diskbench {

namespace {
constexpr std::size_t kLanes = 8;
constexpr std::size_t kSector = 512;
}  // namespace

void fill_random(std::span<std::byte> memory, std::uint64_t seed) {
  std::array<std::uint64_t, kLanes> lanes{};
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = mix(seed * kLanes + i) | 1U;
  while (!memory.empty()) {
    for (std::uint64_t& lane : lanes) {
      lane ^= lane << 13U;
      lane ^= lane >> 7U;
      lane ^= lane << 17U;
    }
    const std::size_t length = std::min(memory.size(), sizeof lanes);
    std::memcpy(memory.data(), lanes.data(), length);
    memory = memory.subspan(length);
  }
}

void stamp(std::span<std::byte> block, std::uint64_t serial) {
  std::uint64_t value = mix(serial);
  for (std::size_t at = 0; at + sizeof value <= block.size(); at += kSector) {
    std::memcpy(block.data() + at, &value, sizeof value);
    value = value * 0xd1342543de82ef95U + 1;  // full-period congruential sequence
  }
}

}  // namespace nasdiag::diskbench
