#pragma once

#include <filebench/options.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace nasdiag::filebench {

// XXH3 with 128 bits, SHA-1 or SHA-256 (through OpenSSL, with the CPU's own instructions where it has them).
class StreamingHash {
 public:
  explicit StreamingHash(HashKind kind);  // throws std::runtime_error if this OpenSSL lacks the hash
  ~StreamingHash();
  StreamingHash(StreamingHash&&) noexcept;
  StreamingHash& operator=(StreamingHash&&) noexcept;

  void update(std::span<const std::byte> data);
  std::string digest();  // hexadecimal, as xxhsum -H2, sha1sum and sha256sum print it; ends the hash

 private:
  class Algorithm;
  class Xxh3;
  class Sha;
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace nasdiag::filebench
