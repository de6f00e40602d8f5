#include "payload.hpp"

#include "unique_fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <system_error>

namespace nasdiag::netbench {

namespace {

constexpr std::size_t kHugePage = 2U << 20U;
constexpr int kPipeSize = 1 << 20;

void fill_incompressible(std::span<std::byte> bytes) {
  std::mt19937_64 random(std::random_device{}());
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i, &word, std::min(sizeof word, bytes.size() - i));
  }
}

class WriteSender final : public BlockSender {
 public:
  explicit WriteSender(const Payload& payload) : bytes_(payload.bytes()) {}
  ssize_t send(int fd, std::size_t most) override {
    return ::send(fd, bytes_.data(), std::min(most, bytes_.size()), MSG_NOSIGNAL);
  }

 private:
  std::span<const std::byte> bytes_;
};

// Lends the payload's pages to a pipe and moves them from there into the socket: no copy on this side.
class SpliceSender final : public BlockSender {
 public:
  SpliceSender(const Payload& payload, UniqueFd in, UniqueFd out)
      : bytes_(payload.bytes()), in_(std::move(in)), out_(std::move(out)), writer_(payload) {
    ::fcntl(in_.get(), F_SETPIPE_SZ, kPipeSize);
  }

  ssize_t send(int fd, std::size_t most) override {
    if (lent_ == 0) {
      iovec block{.iov_base = bytes_.data(), .iov_len = std::min(most, bytes_.size())};
      const ssize_t lent = ::vmsplice(in_.get(), &block, 1, SPLICE_F_NONBLOCK);
      if (lent <= 0) return writer_.send(fd, most);
      lent_ = static_cast<std::size_t>(lent);
    }
    return move_lent(fd, std::min(lent_, most));
  }

 private:
  ssize_t move_lent(int fd, std::size_t most) {
    std::size_t moved = 0;
    while (moved < most) {
      const ssize_t n = ::splice(out_.get(), nullptr, fd, nullptr, most - moved, SPLICE_F_MORE);
      if (n <= 0) return moved > 0 ? static_cast<ssize_t>(moved) : -1;
      moved += static_cast<std::size_t>(n);
      lent_ -= static_cast<std::size_t>(n);
    }
    return static_cast<ssize_t>(moved);
  }

  std::span<std::byte> bytes_;
  UniqueFd in_;
  UniqueFd out_;
  std::size_t lent_ = 0;  // in the pipe
  WriteSender writer_;
};

}  // namespace

HugeBuffer::HugeBuffer(std::size_t size) : mapped_((size + kHugePage - 1) / kHugePage * kHugePage) {
  // Twice as much address space as needed, so that a huge page fits.
  void* area =
      ::mmap(nullptr, mapped_ + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "mmap of the payload memory");
  auto* const start = static_cast<std::byte*>(area);
  const auto address = reinterpret_cast<std::uintptr_t>(area);
  const std::size_t skipped = (kHugePage - address % kHugePage) % kHugePage;
  if (skipped > 0) ::munmap(start, skipped);
  if (skipped < kHugePage) ::munmap(start + skipped + mapped_, kHugePage - skipped);
  bytes_ = {start + skipped, size};
  ::madvise(bytes_.data(), mapped_, MADV_HUGEPAGE);
}

HugeBuffer::~HugeBuffer() { ::munmap(bytes_.data(), mapped_); }

Payload::Payload(std::size_t size) : buffer_(size) { fill_incompressible(buffer_.bytes()); }

std::unique_ptr<BlockSender> make_sender(SendingMethod method, const Payload& payload) {
  std::array<int, 2> ends{};
  if (method == SendingMethod::vmsplice && ::pipe2(ends.data(), O_CLOEXEC) == 0) {
    return std::make_unique<SpliceSender>(payload, UniqueFd(ends[1]), UniqueFd(ends[0]));
  }
  return std::make_unique<WriteSender>(payload);
}

}  // namespace nasdiag::netbench
