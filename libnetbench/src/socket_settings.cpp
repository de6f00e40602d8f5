#include "socket_settings.hpp"

#include <netbench/error.hpp>

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace nasdiag::netbench {

namespace {

// Returns the errno, 0 for success.
template <class Value>
int set_option(int fd, int level, int name, Value value) {
  return ::setsockopt(fd, level, name, &value, sizeof value) == 0 ? 0 : errno;
}

template <class Value>
std::optional<Value> get_option(int fd, int level, int name) {
  Value value{};
  socklen_t length = sizeof value;
  if (::getsockopt(fd, level, name, &value, &length) != 0) return std::nullopt;
  return value;
}

int set_window(int fd, std::int64_t window) {
  const int size = static_cast<int>(window);
  if (const int error = set_option(fd, SOL_SOCKET, SO_SNDBUF, size)) return error;
  if (const int error = set_option(fd, SOL_SOCKET, SO_RCVBUF, size)) return error;
  // Linux grants what its limits allow without a word, and reads back twice that.
  if (send_buffer_size(fd) < window || receive_buffer_size(fd) < window) return ENOBUFS;
  return 0;
}

int set_type_of_service(int fd, int value) {
  const auto domain = get_option<int>(fd, SOL_SOCKET, SO_DOMAIN);
  if (domain == AF_INET6) return set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, value);
  return set_option(fd, IPPROTO_IP, IP_TOS, value);
}

int set_congestion(int fd, const std::string& name) {
  return ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), static_cast<socklen_t>(name.size())) == 0
             ? 0
             : errno;
}

int set_pacing(int fd, measure::DataRate rate) {
  return set_option(fd, SOL_SOCKET, SO_MAX_PACING_RATE, static_cast<std::uint64_t>(rate.bytes_per_second()));
}

// Calls failed(errno, what) for each option that the kernel refuses.
template <class Failed>
void apply(int fd, const SocketSettings& settings, Failed failed) {
  const auto check = [&](int error, const std::string& what) {
    if (error != 0) failed(error, what);
  };
  if (settings.window)
    check(set_window(fd, *settings.window), "a window of " + std::to_string(*settings.window) + " bytes");
  if (settings.segment_size) {
    check(set_option(fd, IPPROTO_TCP, TCP_MAXSEG, *settings.segment_size),
          "an MSS of " + std::to_string(*settings.segment_size));
  }
  if (settings.nagle == Nagle::off) check(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1), "TCP_NODELAY");
  if (settings.type_of_service)
    check(set_type_of_service(fd, *settings.type_of_service), "a type of service");
  if (!settings.congestion.empty()) {
    check(set_congestion(fd, settings.congestion), "the congestion control '" + settings.congestion + "'");
  }
  if (settings.rate) check(set_pacing(fd, *settings.rate), "a pacing rate");
}

}  // namespace

void apply_settings(int fd, const SocketSettings& settings) {
  apply(fd, settings, [](int error, const std::string& what) {
    if (error == ENOBUFS) {
      throw std::system_error(Errc::socket_option, "the kernel grants less than " + what +
                                                       "; raise net.core.rmem_max and net.core.wmem_max");
    }
    throw std::system_error(Errc::socket_option, "the kernel refuses " + what + " (" +
                                                     std::generic_category().message(error) + ")");
  });
}

void apply_if_possible(int fd, const SocketSettings& settings) {
  apply(fd, settings, [](int, const std::string&) {});
}

void set_nodelay(int fd) { set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1); }

void set_blocking(int fd, bool blocking) {
  const int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

std::string congestion_control(int fd) {
  std::array<char, 16> name{};
  socklen_t length = name.size();
  if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  name.back() = '\0';
  return name.data();
}

std::int64_t send_buffer_size(int fd) { return get_option<int>(fd, SOL_SOCKET, SO_SNDBUF).value_or(0); }

std::int64_t receive_buffer_size(int fd) { return get_option<int>(fd, SOL_SOCKET, SO_RCVBUF).value_or(0); }

std::optional<std::int64_t> receive_queue_size(int fd) {
  int bytes = 0;
  if (::ioctl(fd, SIOCINQ, &bytes) != 0) return std::nullopt;
  return bytes;
}

}  // namespace nasdiag::netbench
