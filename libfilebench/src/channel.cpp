#include "channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace nasdiag::filebench {

namespace {

using Length = std::uint64_t;

}  // namespace

std::pair<Descriptor, Descriptor> Channel::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "making a socket pair for the file worker");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool Channel::send(std::string_view message) {
  const Length length = message.size();
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  frame += message;
  std::string_view rest = frame;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Channel::take_message(std::string& message) {
  Length length = 0;
  if (buffer_.size() < sizeof length) return false;
  std::memcpy(&length, buffer_.data(), sizeof length);
  if (buffer_.size() - sizeof length < length) return false;
  message = buffer_.substr(sizeof length, length);
  buffer_.erase(0, sizeof length + length);
  return true;
}

Channel::Received Channel::receive(std::string& message, std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (!take_message(message)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd wait{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Received::nothing;
    std::array<char, 65536> bytes{};
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Received::closed;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return Received::message;
}

}  // namespace nasdiag::filebench
