#pragma once

// Data that can't be compressed, deduplicated or left out: what is written is a function of a seed and the
// offset, so that what is read back can be compared without keeping it.
//
// A pool of 4 MiB random bytes repeats through the file, with a stamp of seed and position at the head of
// every 4 KiB block. Compressors look back at most 1 MiB (the largest usual record of ZFS), deduplication
// compares whole blocks: neither finds anything. Making it costs a few cache lines per block, so memory speed
// isn't the limit of a write.

#include "hash.hpp"

#include <measure/quantity.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace nasdiag::filebench {

// Memory aligned to 4096, as O_DIRECT wants it.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size);  // rounded up to 4096; throws std::bad_alloc
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Free> memory_;
};

class Content {
 public:
  explicit Content(std::uint64_t seed);

  // The bytes from `offset` on, at most `length` and at least 1 (less than `length` where the pool wraps).
  // Valid until the next call.
  std::span<const std::byte> at(std::int64_t offset, std::size_t length);
  // Likewise without the stamps: repeats every 4 MiB, and several threads may ask at once.
  std::span<const std::byte> repeating_at(std::int64_t offset, std::size_t length) const;

 private:
  std::uint64_t seed_;
  AlignedBuffer pool_;
};

// A seed that no other run uses.
std::uint64_t fresh_seed();

// Digest of the first `length` bytes of what Content(seed) makes.
std::string expected_digest(std::uint64_t seed, measure::ByteCount length, HashKind kind);

}  // namespace nasdiag::filebench
