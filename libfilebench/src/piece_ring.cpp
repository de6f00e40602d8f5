#include "piece_ring.hpp"

#include <algorithm>

namespace nasdiag::filebench {

namespace {

std::size_t slots_for(std::size_t piece_size) {
  constexpr std::size_t kTogether = std::size_t{4} << 20U;
  return std::clamp<std::size_t>(kTogether / piece_size, 3, 32);
}

}  // namespace

PieceRing::PieceRing(std::size_t piece_size) : free_(static_cast<std::ptrdiff_t>(slots_for(piece_size))) {
  for (std::size_t i = 0; i < slots_for(piece_size); ++i)
    slots_.push_back({.buffer = AlignedBuffer(piece_size)});
}

std::span<std::byte> PieceRing::free_slot() {
  if (!free_.try_acquire()) {
    const std::int64_t start = now_ns();
    free_.acquire();
    waited_ += std::chrono::nanoseconds(now_ns() - start);
  }
  return slots_[head_].buffer.span();
}

void PieceRing::publish(std::size_t length) {
  slots_[head_].length = length;
  head_ = (head_ + 1) % slots_.size();
  filled_.release();
}

std::span<const std::byte> PieceRing::next() {
  filled_.acquire();
  Slot& slot = slots_[tail_];
  return {slot.buffer.data(), slot.length};
}

void PieceRing::release() {
  tail_ = (tail_ + 1) % slots_.size();
  free_.release();
}

}  // namespace nasdiag::filebench
