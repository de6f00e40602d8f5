#include "echo.hpp"

#include <algorithm>

namespace nasdiag::netbench {

namespace {

constexpr std::chrono::seconds kSilence{10};
constexpr std::chrono::minutes kLongest{10};

}  // namespace

const std::string& echo_cookie() {
  static const std::string cookie = [] {
    std::string text = "nasdiag-echo-1";
    text.resize(kCookieSize - 1, '-');
    text.push_back('\0');
    return text;
  }();
  return cookie;
}

asio::awaitable<void> serve_echo(Channel& channel, std::stop_token stop) {
  co_await channel.write(std::string(1, kEchoReady), Bound::within(kSilence, stop));
  const Clock::time_point end = Clock::now() + kLongest;
  while (Clock::now() < end) {
    const std::string bytes = co_await channel.read_some(Bound::within(kSilence, stop));
    co_await channel.write(bytes, Bound::within(kSilence, stop));
  }
}

}  // namespace nasdiag::netbench
