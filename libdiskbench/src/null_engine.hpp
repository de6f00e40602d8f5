#pragma once

// Completes every request at once without doing anything: what is measured is this program.

#include "io_engine.hpp"

namespace nasdiag::diskbench {

class NullEngine final : public IoEngine {
 public:
  explicit NullEngine(std::size_t block_size) : block_size_(static_cast<std::int32_t>(block_size)) {}

  std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                       std::chrono::nanoseconds) override {
    std::size_t count = 0;
    for (const Request& request : requests) {
      const bool moves_data = request.operation == Operation::read || request.operation == Operation::write;
      done[count++] = {request.slot, moves_data ? block_size_ : 0};
    }
    return count;
  }
  Engine kind() const override { return Engine::null; }

 private:
  std::int32_t block_size_;
};

}  // namespace nasdiag::diskbench
