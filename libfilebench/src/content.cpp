#include "content.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

namespace nasdiag::filebench {

namespace {

constexpr std::size_t kPoolSize = std::size_t{4} << 20U;
constexpr std::size_t kBlock = 4096;

// SplitMix64 (Steele, Lea, Flood 2014): spreads a seed, and is itself good enough to fill the pool.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t size) : size_((size + kBlock - 1) / kBlock * kBlock) {
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kBlock, size_)));
  if (!memory_) throw std::bad_alloc();
}

Content::Content(std::uint64_t seed) : seed_(seed), pool_(kPoolSize) {
  for (std::size_t i = 0; i < kPoolSize; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(seed_ + i);
    std::memcpy(pool_.data() + i, &word, sizeof word);
  }
}

std::span<const std::byte> Content::at(std::int64_t offset, std::size_t length) {
  const std::size_t start = static_cast<std::size_t>(offset) % kPoolSize;
  length = std::min(length, kPoolSize - start);
  for (std::size_t block = start / kBlock * kBlock; block < start + length; block += kBlock) {
    const std::uint64_t position = static_cast<std::uint64_t>(offset) - start + block;
    const std::uint64_t stamp = mix(seed_ ^ mix(position));
    std::memcpy(pool_.data() + block, &stamp, sizeof stamp);
  }
  return {pool_.data() + start, length};
}

std::span<const std::byte> Content::repeating_at(std::int64_t offset, std::size_t length) const {
  const std::size_t start = static_cast<std::size_t>(offset) % kPoolSize;
  return {pool_.data() + start, std::min(length, kPoolSize - start)};
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

std::string expected_digest(std::uint64_t seed, measure::ByteCount length, HashKind kind) {
  Content content(seed);
  StreamingHash hash(kind);
  constexpr std::int64_t kPiece = 256 << 10;  // stays in the second-level cache
  for (std::int64_t offset = 0; offset < length.bytes();) {
    const auto piece =
        content.at(offset, static_cast<std::size_t>(std::min(kPiece, length.bytes() - offset)));
    hash.update(piece);
    offset += static_cast<std::int64_t>(piece.size());
  }
  return hash.digest();
}

}  // namespace nasdiag::filebench
