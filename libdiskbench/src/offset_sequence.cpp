#include "offset_sequence.hpp"

#include "block_content.hpp"

#include <algorithm>
#include <bit>

namespace nasdiag::diskbench {

OffsetSequence::OffsetSequence(Order order, std::uint64_t blocks, std::uint64_t seed)
    : order_(order), blocks_(blocks), seed_(seed), mask_(std::bit_ceil(blocks) - 1), key_(mix(seed)) {
  half_shift_ = std::max(1U, static_cast<unsigned>(std::bit_width(mask_)) / 2);
}

void OffsetSequence::start_pass() {
  position_ = 0;
  counter_ = 0;
  ++pass_;
  key_ = mix(seed_ + pass_);
}

// Adding, multiplying by an odd number and xor with a right shift are each a bijection of the numbers up to
// mask_, and so is any chain of them. Numbers beyond the region are skipped: fewer than half.
std::uint64_t OffsetSequence::permuted() {
  while (true) {
    std::uint64_t x = (counter_++ + key_) & mask_;
    x = (x * 0x9e3779b97f4a7c15U) & mask_;
    x ^= x >> half_shift_;
    x = (x * (key_ | 1U)) & mask_;
    x ^= x >> half_shift_;
    x = (x * 0xd1342543de82ef95U) & mask_;
    x ^= x >> half_shift_;
    if (x < blocks_) return x;
  }
}

// The high half of a product spreads 64 random bits evenly over the blocks (Lemire 2019).
std::uint64_t OffsetSequence::any() {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(mix(key_ + counter_++)) * blocks_) >> 64U);
}

}  // namespace nasdiag::diskbench
