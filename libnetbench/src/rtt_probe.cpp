#include "rtt_probe.hpp"

#include "echo.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace nasdiag::netbench {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{20};
constexpr milliseconds kLost{300};
constexpr int kGiveUp = 3;            // probes without an answer at the start
constexpr in_port_t kClosedPort = 1;  // tcpmux: served by nobody
constexpr std::size_t kRequest = 64;

bool wait_until(int fd, short events, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  return left.count() > 0 && ::poll(&entry, 1, static_cast<int>(left.count())) == 1;
}

// A socket whose handshake has been begun.
UniqueFd begin_connect(const sockaddr_storage& server, socklen_t size) {
  UniqueFd fd(::socket(server.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&server), size) != 0 && errno != EINPROGRESS &&
      errno != ECONNREFUSED) {
    return {};
  }
  return fd;
}

int connect_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

RoundTripProbe::RoundTripProbe(const sockaddr* server, socklen_t size) : size_(size) {
  std::memcpy(&server_, server, size);
  thread_ = std::thread([this] { run(); });
}

RoundTripProbe::~RoundTripProbe() {
  over_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
  const UniqueFd closed(echo_);
}

std::optional<RttSeries> RoundTripProbe::finish() {
  over_.store(true, std::memory_order_relaxed);
  thread_.join();
  if (series_.loaded.count() + series_.idle.count() == 0) return std::nullopt;
  return std::move(series_);
}

void RoundTripProbe::run() {
  series_.method = open_echo() ? "echo" : "connect";
  Clock::time_point next = Clock::now();
  while (!over_.load(std::memory_order_relaxed)) {
    const bool loaded = loaded_.load(std::memory_order_relaxed);
    if (const auto time = ask()) {
      (loaded ? series_.loaded : series_.idle).add(*time);
    } else {
      ++series_.lost;
      const std::uint64_t answered = series_.loaded.count() + series_.idle.count();
      if (answered == 0 && series_.lost >= kGiveUp) return;
    }
    next = std::max(next + kInterval, Clock::now());
    std::this_thread::sleep_until(next);
  }
}

bool RoundTripProbe::open_echo() {
  const Clock::time_point deadline = Clock::now() + kLost;
  UniqueFd fd = begin_connect(server_, size_);
  if (!fd.valid() || !wait_until(fd.get(), POLLOUT, deadline) || connect_error(fd.get()) != 0) return false;
  const std::string& cookie = echo_cookie();
  if (::send(fd.get(), cookie.data(), cookie.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(cookie.size()))
    return false;
  char answer = 0;
  if (!wait_until(fd.get(), POLLIN, deadline) || ::recv(fd.get(), &answer, 1, 0) != 1 || answer != kEchoReady)
    return false;
  echo_ = ::dup(fd.get());
  return echo_ >= 0;
}

std::optional<std::chrono::nanoseconds> RoundTripProbe::ask() {
  return echo_ >= 0 ? ask_echo() : time_closed_port(server_, size_, kLost);
}

std::optional<std::chrono::nanoseconds> RoundTripProbe::ask_echo() const {
  std::array<char, kRequest> request{};
  const Clock::time_point begin = Clock::now();
  if (::send(echo_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return std::nullopt;
  std::size_t got = 0;
  while (got < request.size()) {
    if (over_.load(std::memory_order_relaxed) || !wait_until(echo_, POLLIN, begin + kLost * 4))
      return std::nullopt;
    const ssize_t n = ::recv(echo_, request.data(), request.size() - got, 0);
    if (n <= 0) return std::nullopt;
    got += static_cast<std::size_t>(n);
  }
  return Clock::now() - begin;
}

UniqueFd connect_within(const sockaddr* host, socklen_t size, std::chrono::milliseconds longest) {
  sockaddr_storage server{};
  std::memcpy(&server, host, size);
  UniqueFd fd = begin_connect(server, size);
  if (!fd.valid() || !wait_until(fd.get(), POLLOUT, Clock::now() + longest)) return {};
  return connect_error(fd.get()) == 0 ? std::move(fd) : UniqueFd();
}

std::optional<std::chrono::nanoseconds> time_closed_port(const sockaddr_storage& host, socklen_t size,
                                                         std::chrono::milliseconds longest) {
  sockaddr_storage server = host;
  if (server.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(server).sin6_port = htons(kClosedPort);
  } else {
    reinterpret_cast<sockaddr_in&>(server).sin_port = htons(kClosedPort);
  }
  const Clock::time_point begin = Clock::now();
  const UniqueFd fd = begin_connect(server, size);
  if (!fd.valid() || !wait_until(fd.get(), POLLOUT, begin + longest)) return std::nullopt;
  const int error = connect_error(fd.get());
  if (error != 0 && error != ECONNREFUSED) return std::nullopt;
  return Clock::now() - begin;
}

}  // namespace nasdiag::netbench
