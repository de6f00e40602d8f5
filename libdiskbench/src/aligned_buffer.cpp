#include "aligned_buffer.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

namespace nasdiag::diskbench {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// From half a huge page on, whole ones: a request is then one segment for the device in place of one per 4
// KiB page, which made 1 MiB requests four times as fast on a virtual disk. Below that the memory counts
// more.
std::size_t advised(std::size_t size) {
  return size < kHugePage / 2 ? size : (size + kHugePage - 1) / kHugePage * kHugePage;
}
}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t size) : size_(size), mapped_(advised(size) + kHugePage) {
  mapping_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(),
                            "taking " + std::to_string(size) + " bytes of memory for the buffers");
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = static_cast<std::byte*>(mapping_) + (kHugePage - address % kHugePage) % kHugePage;
  ::madvise(data_, advised(size_), MADV_HUGEPAGE);
}

AlignedBuffer::~AlignedBuffer() { ::munmap(mapping_, mapped_); }

}  // namespace nasdiag::diskbench
