#include "session.hpp"

#include "auth.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace nasdiag::netbench {

using namespace asio::experimental::awaitable_operators;
using measure::ByteCount;
using measure::DataRate;

namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kGrace{40};       // past the announced time, as iperf3 has it
constexpr std::chrono::seconds kNoPayload{120};  // while we receive
constexpr std::chrono::seconds kRateWindow{5};   // before an average counts against the limit
constexpr std::chrono::seconds kFarewell{1};

// Ends a session, and says to the client why.
struct Refused {
  Refusal refusal;
};

std::string one_byte(State state) { return std::string(1, static_cast<char>(state)); }

bool same_address(const Endpoint& a, const Endpoint& b) { return address_text(a) == address_text(b); }

asio::awaitable<void> wait_for(asio::steady_timer& timer) {
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

Session::Session(SessionHost host, Channel control, Endpoint peer, std::string cookie)
    : host_(std::move(host)),
      control_(std::move(control)),
      peer_(std::move(peer)),
      cookie_(std::move(cookie)) {
  served_.peer = endpoint_text(peer_);
}

asio::awaitable<ServedTest> Session::run() {
  std::optional<Refusal> refusal;
  try {
    co_await serve();
    served_.outcome = "done";
  } catch (const Refused& refused) {
    refusal = refused.refusal;
  } catch (const boost::system::system_error& error) {
    served_.outcome = error.what();
  } catch (const std::exception& error) {
    served_.outcome = error.what();
  }
  host_.announce_segment_size(0);
  gathering_ = false;
  mover_.reset();
  if (refusal) {
    served_.outcome = refusal->reason;
    co_await refuse(*refusal);
  }
  control_.close();
  co_return served_;
}

asio::awaitable<void> Session::serve() {
  co_await agree();
  co_await gather_streams();
  make_streams();
  co_await control_.write(one_byte(State::test_start) + one_byte(State::test_running),
                          within(host_.options.message_timeout));
  co_await run_test();
  co_await exchange_results();
}

asio::awaitable<void> Session::agree() {
  const Clock::duration timeout = host_.options.message_timeout;
  co_await control_.write(one_byte(State::param_exchange), within(timeout));
  const std::uint32_t length = frame_length(co_await control_.read(4, within(timeout)));
  if (length == 0 || length > kLargestParameters) {
    throw Refused{
        {iperf_code::kParameters, "the client announced parameters of " + std::to_string(length) + " bytes"}};
  }
  ParsedParameters parsed = read_parameters(co_await control_.read(length, within(timeout)));
  if (parsed.refusal) throw Refused{*parsed.refusal};
  parameters_ = std::move(parsed.parameters);
  check_policy();
  served_.streams = parameters_.streams;
  served_.reverse = parameters_.flow == Flow::read;
  served_.bidirectional = parameters_.flow == Flow::both;
}

void Session::check_policy() const {
  const ServerOptions& options = host_.options;
  if (!options.private_key_pem.empty() &&
      !token_is_valid(parameters_.auth_token, options.private_key_pem, options.authorized_users,
                      std::chrono::system_clock::now())) {
    throw Refused{{iperf_code::kAuthentication, "the client's login was refused"}};
  }
  if (std::chrono::seconds(parameters_.time) > host_.options.longest_test) {
    throw Refused{{iperf_code::kDurationLimit, "the client asked for a longer test than allowed"}};
  }
  const std::int64_t asked = std::max(parameters_.rate, parameters_.kernel_rate) * parameters_.streams;
  if (host_.options.highest_rate &&
      static_cast<double>(asked) > host_.options.highest_rate->bits_per_second()) {
    throw Refused{{iperf_code::kRateLimit, "the client asked for a higher rate than allowed"}};
  }
}

std::size_t Session::wanted_streams() const {
  const auto each = static_cast<std::size_t>(parameters_.streams);
  return parameters_.flow == Flow::both ? 2 * each : each;
}

bool Session::wants(const Endpoint& peer, const std::string& cookie) const {
  return gathering_ && cookie == cookie_ && same_address(peer, peer_);
}

void Session::add_stream(std::uint64_t accepted, asio::ip::tcp::socket socket) {
  arrived_.push_back({accepted, std::move(socket)});
  arrival_->cancel();
}

asio::awaitable<void> Session::gather_streams() {
  arrival_.emplace(control_.socket().get_executor());
  host_.announce_segment_size(parameters_.segment_size);
  gathering_ = true;
  co_await control_.write(one_byte(State::create_streams), within(host_.options.message_timeout));
  const Bound bound = within(host_.options.setup_timeout);
  while (arrived_.size() < wanted_streams()) {
    if (!co_await stream_arrives(bound))
      throw std::runtime_error("the client left before its streams were there");
    if (Clock::now() >= bound.deadline)
      throw std::runtime_error("the client didn't open its streams in time");
    if (host_.stop.stop_requested()) throw std::runtime_error("the server is shut down");
  }
  gathering_ = false;
  host_.announce_segment_size(0);
}

// False: the client has closed the control connection or sent something.
asio::awaitable<bool> Session::stream_arrives(Bound bound) {
  const Clock::time_point until = std::min(bound.deadline, Clock::now() + kTick);
  arrival_->expires_at(until);
  const auto first = co_await (control_.wait_for_input(until) || wait_for(*arrival_));
  co_return first.index() == 1 || std::get<0>(first) == Channel::Arrival::nothing;
}

SocketSettings Session::settings() const {
  SocketSettings settings;
  if (parameters_.window > 0) settings.window = parameters_.window;
  if (parameters_.nodelay) settings.nagle = Nagle::off;
  if (parameters_.type_of_service > 0) settings.type_of_service = parameters_.type_of_service;
  settings.congestion = parameters_.congestion;
  const std::int64_t rate = std::max(parameters_.rate, parameters_.kernel_rate);
  if (rate > 0) settings.rate = DataRate::bits_per_second(static_cast<double>(rate));
  if (rate == 0 && host_.options.highest_rate)
    settings.rate = *host_.options.highest_rate * (1.0 / parameters_.streams);
  return settings;
}

void Session::make_streams() {
  std::sort(arrived_.begin(), arrived_.end(),
            [](const Arrived& a, const Arrived& b) { return a.accepted < b.accepted; });
  const Role first_role = parameters_.flow == Flow::read ? Role::send : Role::receive;
  for (Arrived& arrived : arrived_) {
    const bool second_half =
        parameters_.flow == Flow::both && streams_.size() >= static_cast<std::size_t>(parameters_.streams);
    UniqueFd fd(arrived.socket.release());
    apply_if_possible(fd.get(), settings());
    if (parameters_.window > 0 && receive_buffer_size(fd.get()) < parameters_.window) {
      throw Refused{{141, "the kernel grants a smaller window than the client asked for"}};
    }
    streams_.push_back(std::make_unique<DataStream>(std::move(fd), stream_id(streams_.size()),
                                                    second_half ? Role::send : first_role));
  }
  arrived_.clear();
  recorder_.emplace(streams_, RecorderOptions{.sample_interval = kTick, .tcp_info_interval = {}},
                    Clock::now());
}

MoverOptions Session::mover_options() {
  MoverOptions options;
  boost::system::error_code unknown;
  const Endpoint own = control_.socket().local_endpoint(unknown);
  options.share_cpus_with_peer = streams_.size() > 1 && !unknown && same_address(own, peer_);
  // Our own size for reading; the client's for writing, because a number of blocks is counted in it.
  options.block_size = parameters_.flow == Flow::write ? MoverOptions().block_size
                                                       : static_cast<std::size_t>(parameters_.block_size);
  options.method = SendingMethod::vmsplice;
  options.receive = parameters_.discard ? Receive::discard : Receive::copy;
  if (parameters_.flow == Flow::read && parameters_.amount > 0) options.amount = parameters_.amount;
  if (parameters_.flow == Flow::read && parameters_.blocks > 0)
    options.amount = parameters_.blocks * parameters_.block_size;
  return options;
}

asio::awaitable<void> Session::run_test() {
  std::vector<DataStream*> all;
  for (const auto& stream : streams_) all.push_back(stream.get());
  mover_.emplace(std::move(all), mover_options());
  start_ = last_payload_ = Clock::now();
  omitting_ = parameters_.omit > 0;
  cpu_.restart();
  recorder_->restart(start_);
  mover_->start();
  while (co_await client_goes_on()) {
    const Clock::time_point now = Clock::now();
    check_clock(now);
    check_payload(now);
  }
  recorder_->finish(Clock::now());
  served_.sent = recorder_->moved(Role::send);
  served_.received = recorder_->moved(Role::receive);
  served_.duration = recorder_->counted_time();
}

// False: the test has come to its regular end.
asio::awaitable<bool> Session::client_goes_on() {
  Clock::time_point until = Clock::now() + kTick;
  if (omitting_) until = std::min(until, start_ + std::chrono::seconds(parameters_.omit));
  const Channel::Arrival arrival = co_await control_.wait_for_input(until);
  if (arrival == Channel::Arrival::nothing) co_return true;
  if (arrival == Channel::Arrival::end)
    throw std::runtime_error("the client closed the connection in the middle of the test");
  const State state = control_.take_state();
  if (state == State::test_end) co_return false;
  if (state == State::client_terminate) throw std::runtime_error("the client was stopped");
  throw Refused{
      {iperf_code::kUnexpectedState, "the client sent " + describe(state) + " in the middle of the test"}};
}

void Session::check_clock(Clock::time_point now) {
  if (host_.stop.stop_requested()) throw Refused{{iperf_code::kDurationExpired, "the server is shut down"}};
  const std::chrono::seconds omit(parameters_.omit);
  if (omitting_ && now >= start_ + omit) {
    omitting_ = false;
    recorder_->restart(now);
    cpu_.restart();
  }
  const std::chrono::seconds time =
      parameters_.time > 0 ? std::chrono::seconds(parameters_.time) + kGrace : host_.options.longest_test;
  if (now > start_ + omit + time) {
    throw Refused{{iperf_code::kDurationExpired, "the client didn't end the test in time"}};
  }
}

std::uint64_t Session::received_so_far() const {
  std::uint64_t sum = 0;
  for (const auto& stream : streams_) {
    if (stream->role == Role::receive) sum += stream->moved.load(std::memory_order_relaxed);
  }
  return sum;
}

void Session::check_payload(Clock::time_point now) {
  for (const auto& stream : streams_) {
    if (stream->error.load(std::memory_order_relaxed) != 0)
      throw std::runtime_error("a stream broke in the middle of the test");
  }
  if (parameters_.flow == Flow::read) return;
  const std::uint64_t received = received_so_far();
  if (received != last_received_) last_payload_ = now;
  last_received_ = received;
  if (now > last_payload_ + kNoPayload)
    throw Refused{{iperf_code::kNoData, "no payload came for two minutes"}};
  if (!host_.options.highest_rate || now < start_ + kRateWindow) return;
  if (ByteCount::bytes(static_cast<std::int64_t>(received)) / (now - start_) > *host_.options.highest_rate) {
    throw Refused{{iperf_code::kRateLimit, "the client sent faster than allowed"}};
  }
}

Results Session::own_results() {
  const CpuUse cpu = cpu_.read();
  Results results;
  results.cpu_total = cpu.total;
  results.cpu_user = cpu.user;
  results.cpu_system = cpu.system;
  results.sender_has_retransmits = parameters_.flow == Flow::write ? -1 : 1;
  results.congestion = congestion_control(streams_.front()->fd.get());
  for (const StreamResult& stream : recorder_->take_streams()) {
    results.streams.push_back({.id = stream.id,
                               .bytes = stream.sent.value_or(stream.received.value_or(ByteCount())).bytes(),
                               .retransmits = stream.retransmits.value_or(-1),
                               .end_time = served_.duration.count()});
  }
  return results;
}

asio::awaitable<void> Session::exchange_results() {
  const std::string results = frame(write_results(own_results()));
  mover_.reset();
  streams_.clear();  // iperf3 closes the streams before it says so
  const Clock::duration timeout = host_.options.message_timeout;
  co_await control_.write(one_byte(State::exchange_results), within(timeout));
  const std::uint32_t length = frame_length(co_await control_.read(4, within(timeout)));
  if (length == 0 || length > kLargestResults)
    throw Refused{{iperf_code::kResults, "the client's results are too long"}};
  co_await control_.read(length, within(timeout));  // the client's own view, which changes nothing here
  co_await control_.write(results + one_byte(State::display_results), within(timeout));
  co_await control_.wait_for_input(Clock::now() + kFarewell);  // IPERF_DONE, or EOF from old clients
  co_await control_.linger(within(kFarewell));
}

asio::awaitable<void> Session::refuse(Refusal refusal) {
  try {
    const bool shut_down = host_.stop.stop_requested();
    const std::string words =
        shut_down ? one_byte(State::server_terminate) : write_server_error(refusal.code, 0);
    // Not stoppable: the client is to hear it even when the server is being shut down.
    co_await control_.write(words, Bound::within(std::chrono::milliseconds(200)));
    co_await control_.linger(
        Bound::within(shut_down ? std::chrono::milliseconds(200) : std::chrono::milliseconds(1000)));
  } catch (const std::exception&) {
    // The client is gone; nobody is left to tell.
    control_.close();
  }
}

}  // namespace nasdiag::netbench
