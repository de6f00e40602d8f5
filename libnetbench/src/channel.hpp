#pragma once

// The control connection: bounded reads and writes of iperf3's states and messages, as coroutines.
//
// Every wait has a Bound: it ends with Errc::timed_out at the deadline and with Errc::stopped soon after a
// stop was requested. A connection that the peer closed or reset ends a read with Errc::peer_terminated.

#include "protocol.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <stop_token>
#include <string>

namespace nasdiag::netbench {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// Not an aggregate: GCC 12 destroys aggregate temporaries in a co_await expression twice.
struct Bound {
  explicit Bound(Clock::time_point when, std::stop_token token = {})
      : deadline(when), stop(std::move(token)) {}
  static Bound within(Clock::duration time, std::stop_token token = {}) {
    return Bound(Clock::now() + time, std::move(token));
  }

  Clock::time_point deadline;
  std::stop_token stop;
};

// Returns at the deadline or when stopped.
asio::awaitable<void> expire(Bound bound);

class Channel {
 public:
  enum class Arrival { input, end, nothing };

  explicit Channel(asio::ip::tcp::socket socket);

  asio::awaitable<std::string> read(std::size_t size, Bound bound);
  asio::awaitable<std::string> read_some(Bound bound);  // at least one byte
  asio::awaitable<State> read_state(Bound bound);
  // Length first, checked against 1 to `longest` before anything is allocated.
  asio::awaitable<std::string> read_message(std::uint32_t longest, Bound bound);
  asio::awaitable<void> write(std::string bytes, Bound bound);

  // Until something can be read, the peer has closed, or the time has come. Takes nothing.
  asio::awaitable<Arrival> wait_for_input(Clock::time_point until);
  // After Arrival::input.
  State take_state();

  // Says nothing more; then reads and drops what comes until the peer closes, bounded.
  asio::awaitable<void> linger(Bound bound);
  void close();

  asio::ip::tcp::socket& socket() { return socket_; }

 private:
  asio::awaitable<void> fill();

  asio::ip::tcp::socket socket_;
  std::string inbox_;
  boost::system::error_code ended_;  // set once the peer has closed
};

}  // namespace nasdiag::netbench
