#pragma once

// The memory that payload is sent from and received into, and how one block of it gets into a socket.

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace nasdiag::netbench {

// Memory that suits the kernel: page aligned, in huge pages where there are any.
class HugeBuffer {
 public:
  explicit HugeBuffer(std::size_t size);
  ~HugeBuffer();
  HugeBuffer(const HugeBuffer&) = delete;
  HugeBuffer& operator=(const HugeBuffer&) = delete;
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  std::size_t mapped_ = 0;
};

// Incompressible bytes. Never changed once made, so that pages may be lent to the kernel.
class Payload {
 public:
  explicit Payload(std::size_t size);
  std::span<std::byte> bytes() const { return buffer_.bytes(); }

 private:
  HugeBuffer buffer_;
};

// Sends from the payload. One per stream; not synchronised.
class BlockSender {
 public:
  virtual ~BlockSender() = default;
  // Like send(2): up to `most` bytes; what went into the socket, or -1 and errno. Blocks if the socket does.
  virtual ssize_t send(int fd, std::size_t most) = 0;
};

// "write" copies into the kernel. "vmsplice" lends it the pages. Zero copy falls back to writing where
// the kernel refuses (no pipe to be had).
enum class SendingMethod { write, vmsplice };
constexpr const char* to_string(SendingMethod method) {
  return method == SendingMethod::write ? "write" : "vmsplice";
}

std::unique_ptr<BlockSender> make_sender(SendingMethod method, const Payload& payload);

}  // namespace nasdiag::netbench
