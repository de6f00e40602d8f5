#include "fake_peer.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace nasdiag::tests {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Line::Line(int fd) : fd_(fd) {
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

Line::~Line() {
  if (fd_ >= 0) ::close(fd_);
}

Line::Line(Line&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Line Line::to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("connect");
  return Line(fd);
}

void Line::send(const std::string& bytes) const {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

void Line::send_message(const std::string& json) const {
  std::string framed;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    framed.push_back(static_cast<char>((json.size() >> shift) & 0xFFU));
  send(framed + json);
}

std::string Line::read(std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::recv(fd_, bytes.data() + got, size - got, 0);
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

std::string Line::read_message() const {
  const std::string head = read(4);
  std::size_t length = 0;
  for (const char c : head) length = (length << 8U) | static_cast<unsigned char>(c);
  return read(length);
}

bool Line::closed_by_peer() const {
  std::vector<char> sink(4096);
  while (true) {
    const ssize_t n = ::recv(fd_, sink.data(), sink.size(), 0);
    if (n > 0) continue;
    return n == 0 || errno == ECONNRESET;
  }
}

void Line::reset() const {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

FakePeer::FakePeer(std::function<void(Line&, int)> talk)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no listener");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this, talk = std::move(talk)] {
    for (int number = 0;; ++number) {
      const int fd = ::accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      Line line(fd);
      talk(line, number);
    }
  });
}

FakePeer::~FakePeer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

}  // namespace nasdiag::tests
