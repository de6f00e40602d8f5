#pragma once

#include <cstddef>
#include <span>

namespace nasdiag::diskbench {

// Page-aligned memory of its own mapping, on huge pages where the system gives them.
class AlignedBuffer {
 public:
  // Throws std::system_error.
  explicit AlignedBuffer(std::size_t size);
  ~AlignedBuffer();
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace nasdiag::diskbench
