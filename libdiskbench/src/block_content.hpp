#pragma once

// What is written: random bytes, no two sectors alike, so that neither compression nor deduplication nor a
// cache that knows the data can make a disk look faster.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nasdiag::diskbench {

// Fills with random bytes from eight xorshift generators side by side (vectorised by the compiler).
void fill_random(std::span<std::byte> memory, std::uint64_t seed);

// Makes a block filled earlier unlike all others: a random number that depends on `serial` and the sector
// goes into each sector of 512 bytes. Costs one cache line per sector.
void stamp(std::span<std::byte> block, std::uint64_t serial);

// A bijective mix of 64 bits (the finaliser of splitmix64, Steele et al. 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace nasdiag::diskbench
