#pragma once

// Which block of a region comes next.

#include <cstdint>

namespace nasdiag::diskbench {

enum class Order {
  sequential,
  random_map,  // each block once per pass, in an order that looks random and differs from pass to pass
  random       // any block any time
};

class OffsetSequence {
 public:
  // blocks must be at least 1.
  OffsetSequence(Order order, std::uint64_t blocks, std::uint64_t seed);

  std::uint64_t next() {
    if (position_ == blocks_) start_pass();
    const std::uint64_t position = position_++;
    switch (order_) {
      case Order::sequential:
        return position;
      case Order::random_map:
        return permuted();
      case Order::random:
        return any();
    }
    return position;
  }
  // Whole passes over the region begun so far, the first included.
  std::uint64_t pass() const { return pass_; }

 private:
  void start_pass();
  std::uint64_t permuted();
  std::uint64_t any();

  Order order_;
  std::uint64_t blocks_;
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
  std::uint64_t pass_ = 1;
  unsigned half_shift_ = 1;    // of the permuted number's bits, for mixing high ones into low ones
  std::uint64_t mask_ = 0;     // the smallest power of two that holds all blocks, less 1
  std::uint64_t counter_ = 0;  // position of the permutation; runs through all of mask_
  std::uint64_t key_ = 0;
};

}  // namespace nasdiag::diskbench
