#include "handshake.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>

namespace nasdiag::netbench {

namespace {

constexpr std::chrono::seconds kAnswerTime{10};  // iperf3's own bound for a message
// 15 % faster than iperf3's 128 KiB on loopback.
constexpr std::int64_t kDefaultBlock = std::int64_t{256} * 1024;

SocketSettings stream_settings(const TcpOptions& options) {
  SocketSettings settings;
  if (options.window) settings.window = options.window->bytes();
  settings.segment_size = options.segment_size;
  settings.nagle = options.nagle;
  settings.type_of_service = options.type_of_service;
  settings.congestion = options.congestion.value_or("");
  settings.rate = options.rate;
  return settings;
}

std::vector<Role> roles_of(const TcpOptions& options) {
  const auto count = static_cast<std::size_t>(options.streams);
  std::vector<Role> roles(count, options.flow == Flow::read ? Role::receive : Role::send);
  if (options.flow == Flow::both) roles.insert(roles.end(), count, Role::receive);
  return roles;
}

// A connection whose peer says nothing yet.
struct Contact {
  Channel control;
  Endpoint peer;
  std::chrono::microseconds connect_time;
};

class Handshake {
 public:
  Handshake(const TcpOptions& options, std::string auth_token, std::stop_token stop)
      : options_(options),
        auth_token_(std::move(auth_token)),
        stop_(std::move(stop)),
        cookie_(make_cookie()) {}

  asio::awaitable<OpenTest> run(std::vector<Endpoint> peers) {
    Contact contact = co_await connect_control(std::move(peers));
    co_await negotiate(contact);
    Streams streams;
    co_await open_streams(contact, streams);
    co_await await_start(contact);
    co_return OpenTest{std::move(contact.control), std::move(streams), contact.peer, contact.connect_time};
  }

 private:
  // GCC 12 destroys aggregate temporaries in a co_await expression twice: everything has a name here.
  asio::awaitable<Contact> connect_control(std::vector<Endpoint> peers) {
    const Origin origin{options_.bind_address, options_.bind_interface};
    const SocketSettings settings;
    std::optional<std::system_error> failure;
    for (const Endpoint& peer : peers) {
      try {
        const Clock::time_point begin = Clock::now();
        const Bound limit = bound(options_.connect_timeout);
        asio::ip::tcp::socket socket = co_await connect(peer, origin, settings, limit);
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
        co_return Contact{Channel(std::move(socket)), peer, took};
      } catch (const std::system_error& error) {
        if (error.code() == Errc::stopped) throw;
        // "refused" says more than "no answer": somebody is there.
        if (!failure || error.code() == Errc::refused) failure = error;
      }
    }
    throw std::system_error(*failure);
  }

  asio::awaitable<void> negotiate(Contact& contact) {
    co_await contact.control.write(cookie_, bound(kAnswerTime));
    co_await expect(contact, State::param_exchange, "after the connection was made");
    const std::string message = frame(write_parameters(to_parameters(options_, auth_token_)));
    co_await contact.control.write(message, bound(kAnswerTime));
    co_await expect(contact, State::create_streams, "after the parameters");
  }

  asio::awaitable<void> open_streams(Contact& contact, Streams& streams) {
    const Origin origin{options_.bind_address, options_.bind_interface};
    const SocketSettings settings = stream_settings(options_);
    for (const Role role : roles_of(options_)) {
      const Bound limit = bound(options_.connect_timeout);
      asio::ip::tcp::socket socket = co_await connect(contact.peer, origin, settings, limit);
      const int id = stream_id(streams.size());
      const auto [error, size] =
          co_await socket.async_send(asio::buffer(cookie_), asio::as_tuple(asio::use_awaitable));
      if (error || size != cookie_.size())
        throw std::system_error(Errc::peer_terminated, "opening stream " + std::to_string(id));
      streams.push_back(std::make_unique<DataStream>(UniqueFd(socket.release()), id, role));
    }
  }

  asio::awaitable<void> await_start(Contact& contact) {
    co_await expect(contact, State::test_start, "while the streams were opened");
    co_await expect(contact, State::test_running, "at the start");
  }

  asio::awaitable<void> expect(Contact& contact, State wanted, const char* when) {
    const std::optional<State> state = co_await read_state(contact, wanted, when);
    if (!state) throw_closed(contact, wanted, when);
    if (*state == wanted) co_return;
    if (*state == State::access_denied) throw std::system_error(Errc::busy, endpoint_text(contact.peer));
    if (*state == State::server_error) {
      const ServerError error = co_await read_server_error(contact.control, stop_);
      throw std::system_error(to_errc(error), "the server says: " + error.text);
    }
    if (wanted == State::param_exchange)
      throw std::system_error(Errc::not_iperf3, endpoint_text(contact.peer));
    throw std::system_error(Errc::protocol, "the server sent " + describe(*state) + " " + when);
  }

  // Nothing: the peer closed.
  asio::awaitable<std::optional<State>> read_state(Contact& contact, State wanted, const char* when) {
    std::optional<std::system_error> failure;
    try {
      const State state = co_await contact.control.read_state(bound(kAnswerTime));
      co_return state;
    } catch (const std::system_error& error) {
      failure = error;
    }
    if (failure->code() == Errc::peer_terminated) co_return std::nullopt;
    if (failure->code() == Errc::timed_out && wanted == State::param_exchange) {
      throw std::system_error(Errc::not_iperf3,
                              endpoint_text(contact.peer) + " accepts connections but says nothing");
    }
    throw std::system_error(failure->code(), std::string("no word from the server ") + when);
  }

  [[noreturn]] void throw_closed(const Contact& contact, State wanted, const char* when) const {
    const std::string peer = endpoint_text(contact.peer);
    switch (wanted) {
      case State::param_exchange:
        throw std::system_error(
            Errc::busy, peer +
                            " closed the connection without a word: it is probably busy with another test, "
                            "or no iperf3");
      case State::create_streams:
        throw std::system_error(Errc::auth_required,
                                peer +
                                    " closed the connection after the parameters: it requires "
                                    "authentication or refused them");
      default:
        break;
    }
    if (options_.flow == Flow::both)
      throw std::system_error(Errc::bidir_unsupported, peer + " closed the connection " + when);
    throw std::system_error(Errc::peer_terminated, peer + " closed the connection " + when);
  }

  Bound bound(Clock::duration time) const { return Bound::within(time, stop_); }

  const TcpOptions& options_;
  std::string auth_token_;
  std::stop_token stop_;
  std::string cookie_;
};

}  // namespace

std::int64_t block_size_of(const TcpOptions& options) {
  return options.block_size ? options.block_size->bytes() : kDefaultBlock;
}

std::chrono::seconds omit_of(const TcpOptions& options) {
  return std::chrono::ceil<std::chrono::seconds>(options.omit);
}

Parameters to_parameters(const TcpOptions& options, std::string auth_token) {
  Parameters p;
  p.omit = omit_of(options).count();
  p.time = std::chrono::ceil<std::chrono::seconds>(options.time).count();
  p.amount = options.amount ? options.amount->bytes() : 0;
  p.blocks = options.blocks.value_or(0);
  p.streams = options.streams;
  p.flow = options.flow;
  p.block_size = block_size_of(options);
  p.window = options.window ? options.window->bytes() : 0;
  p.segment_size = options.segment_size.value_or(0);
  p.nodelay = options.nagle == Nagle::off;
  p.rate = options.rate ? static_cast<std::int64_t>(options.rate->bits_per_second()) : 0;
  p.type_of_service = options.type_of_service.value_or(0);
  p.congestion = options.congestion.value_or("");
  p.title = options.title;
  p.auth_token = std::move(auth_token);
  p.zero_copy = options.zero_copy == ZeroCopy::on;
  p.discard = options.receive == Receive::discard;
  p.client_version = "3.21";  // the release whose behaviour ours is on the wire
  return p;
}

asio::awaitable<OpenTest> open_test(const TcpOptions& options, std::string auth_token,
                                    std::vector<Endpoint> peers, std::stop_token stop) {
  Handshake handshake(options, std::move(auth_token), std::move(stop));
  co_return co_await handshake.run(std::move(peers));
}

asio::awaitable<ServerError> read_server_error(Channel& control, std::stop_token stop) {
  ServerError error;
  try {
    const std::string word = co_await control.read(4, Bound::within(std::chrono::seconds(1), stop));
    error.code = static_cast<std::int32_t>(frame_length(word));
    error.text = describe_iperf_code(error.code);
    // The errno; old servers leave it out, and newer ones put in whatever lay about.
    co_await control.read(4, Bound::within(std::chrono::milliseconds(200), stop));
  } catch (const std::system_error&) {
    if (error.text.empty()) error.text = "an error that it doesn't name";
  }
  co_return error;
}

Errc to_errc(const ServerError& error) {
  using namespace iperf_code;
  switch (error.code) {
    case kBusy:
      return Errc::busy;
    case kAuthentication:
      return Errc::auth_required;
    case kDuration:
    case kStreams:
    case kBlockSize:
    case kWindow:
    case kSegmentSize:
    case kRateLimit:
    case kDurationLimit:
    case kParameters:
    case kNoProtocol:
      return Errc::parameters_rejected;
    default:
      break;
  }
  // 123 to 141: socket options that the server's kernel refuses.
  return error.code >= 123 && error.code <= 141 ? Errc::parameters_rejected : Errc::peer_terminated;
}

}  // namespace nasdiag::netbench
