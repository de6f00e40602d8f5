#include "channel.hpp"
#include "echo.hpp"
#include "endpoint.hpp"
#include "session.hpp"

#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <optional>
#include <stop_token>
#include <thread>

namespace nasdiag::netbench {

namespace {

constexpr int kMostConnections = 2 * kMostStreams + 32;
constexpr std::chrono::milliseconds kBusyCookieTime{
    500};  // for the cookie of a client that will be turned away
constexpr std::chrono::seconds kLinger{1};

void listen_on(asio::ip::tcp::acceptor& acceptor, const Endpoint& endpoint, bool also_ipv4) {
  acceptor.open(endpoint.protocol());
  acceptor.set_option(asio::socket_base::reuse_address(true));
  if (also_ipv4) acceptor.set_option(asio::ip::v6_only(false));
  acceptor.bind(endpoint);
  acceptor.listen(asio::socket_base::max_listen_connections);
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(ServerOptions options) : options_(std::move(options)), acceptor_(context_) {
    open_acceptor();
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(context_, accept_all(), asio::detached);
    thread_ = std::jthread([this] { context_.run(); });
  }

  ~Impl() {
    stop_.request_stop();
    asio::post(context_, [this] { acceptor_.close(); });
    thread_.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void open_acceptor() {
    const std::string where = options_.bind_address.empty() ? "any address" : options_.bind_address;
    const std::string what = "listening on " + where + ", TCP port " + std::to_string(options_.port);
    try {
      if (!options_.bind_address.empty()) {
        const Bound bound = Bound::within(std::chrono::seconds(5));
        listen_on(acceptor_, resolve(options_.bind_address, options_.port, AddressFamily::any, bound).front(),
                  false);
        return;
      }
      open_wildcard();
    } catch (const boost::system::system_error& error) {
      throw std::system_error(error.code(), what);
    }
  }

  void open_wildcard() {
    try {
      listen_on(acceptor_, Endpoint(asio::ip::tcp::v6(), options_.port), true);
    } catch (const boost::system::system_error& error) {
      if (error.code() != asio::error::address_family_not_supported) throw;
      acceptor_.close();
      listen_on(acceptor_, Endpoint(asio::ip::tcp::v4(), options_.port), false);  // a kernel without IPv6
    }
  }

  asio::awaitable<void> accept_all() {
    for (std::uint64_t number = 0; acceptor_.is_open(); ++number) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (stop_.stop_requested()) co_return;
      if (error) {
        // Out of descriptors, most likely: give others time to close theirs.
        co_await expire(Bound::within(std::chrono::milliseconds(100), stop_.get_token()));
        continue;
      }
      if (connections_ >= kMostConnections) continue;  // closes it
      asio::co_spawn(context_, handle(std::move(socket), number), asio::detached);
    }
  }

  asio::awaitable<void> handle(asio::ip::tcp::socket socket, std::uint64_t number) {
    ++connections_;
    try {
      boost::system::error_code gone;
      const Endpoint peer = socket.remote_endpoint(gone);
      if (!gone) co_await greet(Channel(std::move(socket)), peer, number);
    } catch (const std::exception&) {
      // A connection that says nothing or breaks off concerns nobody else.
    }
    --connections_;
  }

  asio::awaitable<void> greet(Channel channel, Endpoint peer, std::uint64_t number) {
    const Clock::duration patience =
        session_ && !session_->gathering() ? Clock::duration(kBusyCookieTime) : options_.message_timeout;
    std::string cookie;
    try {
      cookie = co_await channel.read(kCookieSize, Bound::within(patience, stop_.get_token()));
    } catch (const std::system_error& error) {
      if (error.code() != Errc::timed_out) throw;
    }
    if (cookie == echo_cookie()) {
      co_await serve_echo(channel, stop_.get_token());
    } else if (session_ && session_->wants(peer, cookie)) {
      session_->add_stream(number, std::move(channel.socket()));
    } else if (session_ || cookie.empty()) {
      co_await turn_away(channel);
    } else {
      co_await serve(std::move(channel), peer, std::move(cookie));
    }
  }

  asio::awaitable<void> turn_away(Channel& channel) {
    const Bound bound = Bound::within(kLinger, stop_.get_token());
    co_await channel.write(std::string(1, static_cast<char>(State::access_denied)), bound);
    co_await channel.linger(bound);
  }

  asio::awaitable<void> serve(Channel channel, Endpoint peer, std::string cookie) {
    SessionHost host{options_, stop_.get_token(), [this](int size) { announce_segment_size(size); }};
    session_.emplace(std::move(host), std::move(channel), peer, std::move(cookie));
    const ServedTest served = co_await session_->run();
    session_.reset();
    if (options_.on_test) options_.on_test(served);
  }

  void announce_segment_size(int size) {
    ::setsockopt(acceptor_.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &size, sizeof size);
  }

  const ServerOptions options_;
  asio::io_context context_{1};
  asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::stop_source stop_;
  int connections_ = 0;
  std::optional<Session> session_;
  std::jthread thread_;
};

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Server::~Server() = default;
std::uint16_t Server::port() const { return impl_->port(); }

}  // namespace nasdiag::netbench
