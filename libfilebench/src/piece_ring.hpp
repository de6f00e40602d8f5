#pragma once

// Buffers between one thread that fills and one that empties.

#include "content.hpp"
#include "shared_progress.hpp"

#include <chrono>
#include <cstddef>
#include <semaphore>
#include <span>
#include <vector>

namespace nasdiag::filebench {

class PieceRing {
 public:
  explicit PieceRing(std::size_t piece_size);

  // The filling side. free_slot() waits for one; publish(0) says that no more will come.
  std::span<std::byte> free_slot();
  void publish(std::size_t length);
  std::chrono::nanoseconds waited_for_slot() const { return waited_; }

  // The emptying side. Empty: the end.
  std::span<const std::byte> next();
  void release();

 private:
  struct Slot {
    AlignedBuffer buffer;
    std::size_t length = 0;
  };
  std::vector<Slot> slots_;
  std::counting_semaphore<> free_;
  std::counting_semaphore<> filled_{0};
  std::size_t head_ = 0;  // of the filling side
  std::size_t tail_ = 0;  // of the emptying side
  std::chrono::nanoseconds waited_{0};
};

}  // namespace nasdiag::filebench
