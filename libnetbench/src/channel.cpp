#include "channel.hpp"

#include "socket_settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace nasdiag::netbench {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr auto kQuiet = asio::as_tuple(asio::use_awaitable);  // errors are values
constexpr std::chrono::milliseconds kStopInterval{50};
constexpr std::size_t kPiece = std::size_t{16} * 1024;

asio::awaitable<boost::system::error_code> write_all(asio::ip::tcp::socket& socket,
                                                     const std::string& bytes) {
  const auto [error, size] = co_await asio::async_write(socket, asio::buffer(bytes), kQuiet);
  co_return error;
}

[[noreturn]] void throw_expired(const Bound& bound, const char* what) {
  throw std::system_error(bound.stop.stop_requested() ? Errc::stopped : Errc::timed_out, what);
}

}  // namespace

asio::awaitable<void> expire(Bound bound) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (!bound.stop.stop_requested() && Clock::now() < bound.deadline) {
    timer.expires_at(std::min(bound.deadline, Clock::now() + kStopInterval));
    const auto [error] = co_await timer.async_wait(kQuiet);
    if (error) co_return;  // cancelled
  }
}

Channel::Channel(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {
  set_nodelay(socket_.native_handle());
}

// One read into the inbox. Never throws, so that it can be raced against a timer.
asio::awaitable<void> Channel::fill() {
  std::array<char, kPiece> piece{};
  const auto [error, size] = co_await socket_.async_read_some(asio::buffer(piece), kQuiet);
  inbox_.append(piece.data(), size);
  if (error && error != asio::error::operation_aborted) ended_ = error;
}

asio::awaitable<std::string> Channel::read(std::size_t size, Bound bound) {
  while (inbox_.size() < size) {
    if (ended_) throw std::system_error(Errc::peer_terminated, "the peer closed the control connection");
    const auto first = co_await (fill() || expire(bound));
    if (first.index() == 1 && inbox_.size() < size)
      throw_expired(bound, "no answer on the control connection");
  }
  std::string bytes = inbox_.substr(0, size);
  inbox_.erase(0, size);
  co_return bytes;
}

asio::awaitable<std::string> Channel::read_some(Bound bound) {
  std::string first = co_await read(1, std::move(bound));
  co_return first + std::exchange(inbox_, {});
}

asio::awaitable<State> Channel::read_state(Bound bound) {
  const std::string byte = co_await read(1, std::move(bound));
  co_return static_cast<State>(byte.front());
}

asio::awaitable<std::string> Channel::read_message(std::uint32_t longest, Bound bound) {
  const std::uint32_t length = frame_length(co_await read(4, bound));
  if (length == 0 || length > longest) {
    throw std::system_error(Errc::protocol,
                            "the peer announced a message of " + std::to_string(length) + " bytes");
  }
  co_return co_await read(length, std::move(bound));
}

asio::awaitable<void> Channel::write(std::string bytes, Bound bound) {
  const auto first = co_await (write_all(socket_, bytes) || expire(bound));
  if (first.index() == 1) throw_expired(bound, "the peer takes nothing on the control connection");
  if (std::get<0>(first))
    throw std::system_error(Errc::peer_terminated, "the peer closed the control connection");
}

asio::awaitable<Channel::Arrival> Channel::wait_for_input(Clock::time_point until) {
  if (inbox_.empty() && !ended_) co_await (fill() || expire(Bound(until)));
  if (!inbox_.empty()) co_return Arrival::input;
  co_return ended_ ? Arrival::end : Arrival::nothing;
}

State Channel::take_state() {
  const char byte = inbox_.front();
  inbox_.erase(0, 1);
  return static_cast<State>(byte);
}

asio::awaitable<void> Channel::linger(Bound bound) {
  constexpr std::size_t kMostDropped = std::size_t{64} * 1024;
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  std::size_t dropped = 0;
  while (!ended_ && dropped < kMostDropped) {
    const auto first = co_await (fill() || expire(bound));
    if (first.index() == 1) break;
    dropped += std::exchange(inbox_, {}).size();
  }
  close();
}

void Channel::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace nasdiag::netbench
