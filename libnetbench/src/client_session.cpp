#include "client_session.hpp"

#include <measure/steady_state.hpp>

#include <algorithm>
#include <cstring>

namespace nasdiag::netbench {

using measure::Seconds;
using measure::Severity;

namespace {

constexpr std::chrono::seconds kResultsTime{10};
constexpr std::chrono::milliseconds kStoppedResultsTime{600};  // a stopped run ends within a second
constexpr std::chrono::milliseconds kFarewellTime{200};
constexpr std::chrono::milliseconds kAmountInterval{5};  // how often an amount is looked at
constexpr std::chrono::milliseconds kDrainTime{60};
constexpr std::chrono::milliseconds kIdleTime{240};
constexpr int kProgressEvery = 2;  // samples

std::string phase_name(const TcpOptions& options) {
  const char* flow = options.flow == Flow::write  ? "write"
                     : options.flow == Flow::read ? "read"
                                                  : "write and read";
  return std::string(flow) + ", " + std::to_string(options.streams) +
         (options.streams == 1 ? " stream" : " streams");
}

std::optional<std::int64_t> amount_of(const TcpOptions& options) {
  if (options.amount) return options.amount->bytes();
  if (options.blocks) return *options.blocks * block_size_of(options);
  return std::nullopt;
}

bool is_local(OpenTest& test) {
  boost::system::error_code unknown;
  return test.control.socket().local_endpoint(unknown).address() == test.peer.address() && !unknown;
}

MoverOptions mover_options(const TcpOptions& options, OpenTest& test) {
  MoverOptions mover;
  mover.share_cpus_with_peer = test.streams.size() > 1 && is_local(test);
  mover.block_size = static_cast<std::size_t>(block_size_of(options));
  mover.method = options.zero_copy == ZeroCopy::off ? SendingMethod::write : SendingMethod::vmsplice;
  mover.receive = options.receive;
  if (options.flow != Flow::read) mover.amount = amount_of(options);
  return mover;
}

std::vector<DataStream*> pointers(const Streams& streams) {
  std::vector<DataStream*> all;
  for (const auto& stream : streams) all.push_back(stream.get());
  return all;
}

}  // namespace

ClientSession::ClientSession(const TcpOptions& options, OpenTest test, measure::ProgressObserver& progress,
                             std::stop_token stop)
    : options_(options),
      progress_(progress),
      stop_(std::move(stop)),
      test_(std::move(test)),
      phase_(phase_name(options)),
      start_(Clock::now()),
      recorder_(test_.streams,
                {.sample_interval = options.sample_interval, .tcp_info_interval = options.tcp_info_interval},
                start_),
      mover_(pointers(test_.streams), mover_options(options, test_)) {}

asio::awaitable<void> ClientSession::run() {
  mover_.start();
  begin_probe();
  co_await run_until_the_end();
  co_await exchange_results();
  mover_.finish();
  co_await end_probe();
}

void ClientSession::begin_probe() {
  if (options_.rtt_probe == RttProbe::off) return;
  probe_.emplace(test_.peer.data(), static_cast<socklen_t>(test_.peer.size()));
}

// What the queues on the way still hold drains first; then the way is idle.
asio::awaitable<void> ClientSession::end_probe() {
  if (!probe_) co_return;
  const bool go_on =
      outcome_.stop_reason != StopReason::stopped && outcome_.stop_reason != StopReason::peer_ended;
  if (go_on) {
    co_await expire(Bound::within(kDrainTime, stop_));
    probe_->load_is_over();
    co_await expire(Bound::within(kIdleTime, stop_));
  }
  outcome_.rtt = probe_->finish();
}

asio::awaitable<void> ClientSession::run_until_the_end() {
  start_ = Clock::now();
  if (omit_of(options_).count() == 0) begin_counting(start_);
  Clock::time_point next_sample = start_ + options_.sample_interval;
  const bool by_amount = amount_of(options_).has_value();
  for (int samples = 0; !ended_;) {
    const Clock::time_point wake =
        by_amount ? std::min(next_sample, Clock::now() + kAmountInterval) : next_sample;
    const Channel::Arrival arrival = co_await test_.control.wait_for_input(wake);
    if (arrival == Channel::Arrival::end) end_by_peer("the server closed the control connection");
    if (arrival == Channel::Arrival::input && !co_await peer_goes_on(test_.control.take_state())) break;
    const Clock::time_point now = Clock::now();
    if (!streams_go_on() || !clock_goes_on(now)) break;
    if (now < next_sample) continue;
    recorder_.sample(now);
    while (next_sample <= now) next_sample += options_.sample_interval;
    if (++samples % kProgressEvery == 0) report_progress(now);
    if (options_.precision && counting_since_ && precise_enough()) end(StopReason::precise);
  }
  keep_records(Clock::now());
  mover_.stop_sending();
}

// Co_awaits nothing but the words of an error.
asio::awaitable<bool> ClientSession::peer_goes_on(State state) {
  if (state == State::server_error) {
    const ServerError error = co_await read_server_error(test_.control, stop_);
    end_by_peer("the server ended the test: " + error.text);
  } else if (state == State::server_terminate) {
    end_by_peer("the server was shut down");
  } else {
    end_by_peer("the server sent " + describe(state) + " in the middle of the test");
  }
  co_return false;
}

bool ClientSession::streams_go_on() {
  bool all_finished = true;
  for (const auto& stream : test_.streams) {
    const int error = stream->error.load(std::memory_order_relaxed);
    if (error != 0)
      end_by_peer("stream " + std::to_string(stream->id) + " broke (" + std::strerror(error) + ")");
    if (!stream->finished.load(std::memory_order_acquire)) all_finished = false;
  }
  if (!ended_ && amount_reached()) end(StopReason::amount_reached);
  if (!ended_ && all_finished) end_by_peer("the server closed all streams");
  return !ended_;
}

bool ClientSession::clock_goes_on(Clock::time_point now) {
  if (stop_.stop_requested()) end(StopReason::stopped);
  if (!counting_since_ && now >= start_ + omit_of(options_)) begin_counting(now);
  const bool limited = options_.time.count() > 0;
  if (!ended_ && limited && counting_since_ && now >= *counting_since_ + options_.time)
    end(StopReason::time_over);
  return !ended_;
}

void ClientSession::begin_counting(Clock::time_point now) {
  counting_since_ = now;
  outcome_.omitted = now - start_;
  recorder_.restart(now);
  cpu_.restart();
  sender_cpu_before_ = mover_.busiest_thread(Role::send).value_or(std::chrono::nanoseconds(0));
  receiver_cpu_before_ = mover_.busiest_thread(Role::receive).value_or(std::chrono::nanoseconds(0));
}

bool ClientSession::amount_reached() const {
  const auto amount = amount_of(options_);
  if (!amount) return false;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const auto& stream : test_.streams) {
    (stream->role == Role::send ? sent : received) += stream->moved.load(std::memory_order_relaxed);
  }
  return static_cast<std::int64_t>(options_.flow == Flow::read ? received : sent) >= *amount;
}

bool ClientSession::precise_enough() const {
  const auto known = [&](Role role) {
    return measure::known_well_enough(recorder_.series(role), *options_.precision).has_value();
  };
  return (options_.flow == Flow::read || known(Role::send)) &&
         (options_.flow == Flow::write || known(Role::receive));
}

void ClientSession::report_progress(Clock::time_point now) {
  measure::ProgressEvent event;
  event.layer = "network";
  event.phase = phase_;
  const measure::SampleSeries& series =
      recorder_.series(options_.flow == Flow::read ? Role::receive : Role::send);
  if (!series.empty()) event.throughput = series.back().rate();
  const Seconds whole = Seconds(options_.time) + omit_of(options_);
  if (options_.time.count() > 0) {
    const Seconds elapsed = now - start_;
    event.fraction = std::min(1.0, elapsed / whole);
    event.time_left = std::max(Seconds(0), whole - elapsed);
  }
  progress_.on_progress(event);
}

void ClientSession::end(StopReason reason) {
  ended_ = true;
  outcome_.stop_reason = reason;
}

void ClientSession::end_by_peer(const std::string& what) {
  if (ended_) return;
  end(StopReason::peer_ended);
  outcome_.notes.push_back({.code = "peer-ended", .severity = Severity::warning, .text = what + "."});
}

double ClientSession::share_of_core(std::optional<std::chrono::nanoseconds> now,
                                    std::chrono::nanoseconds before) const {
  return Seconds(*now - before) / recorder_.counted_time();
}

void ClientSession::keep_records(Clock::time_point now) {
  recorder_.finish(now);
  outcome_.cpu = cpu_.read();
  const auto sender_cpu = mover_.busiest_thread(Role::send);
  const auto receiver_cpu = mover_.busiest_thread(Role::receive);
  if (recorder_.counted_time().count() > 0) {
    if (sender_cpu) outcome_.busiest_sender = share_of_core(sender_cpu, sender_cpu_before_);
    if (receiver_cpu) outcome_.busiest_receiver = share_of_core(receiver_cpu, receiver_cpu_before_);
  }
  const int first = test_.streams.front()->fd.get();
  outcome_.congestion = congestion_control(first);
  outcome_.send_buffer = send_buffer_size(first);
  outcome_.receive_buffer = receive_buffer_size(first);
  outcome_.block_size = block_size_of(options_);
  outcome_.method = mover_options(options_, test_).method;
  outcome_.connect_time = test_.connect_time;
  outcome_.remote = test_.peer;
  boost::system::error_code ignored;
  outcome_.local = test_.control.socket().local_endpoint(ignored);
  outcome_.sent_series = recorder_.series(Role::send);
  outcome_.received_series = recorder_.series(Role::receive);
  outcome_.sent_source = recorder_.source(Role::send);
  outcome_.sent = recorder_.moved(Role::send);
  outcome_.received = recorder_.moved(Role::receive);
  outcome_.retransmits = recorder_.retransmits();
  outcome_.counted = recorder_.counted_time();
  for (const auto& stream : test_.streams) outcome_.roles.push_back(stream->role);
  outcome_.streams = recorder_.take_streams();
}

Results ClientSession::own_results() const {
  Results results;
  results.cpu_total = outcome_.cpu.total;
  results.cpu_user = outcome_.cpu.user;
  results.cpu_system = outcome_.cpu.system;
  results.sender_has_retransmits = outcome_.retransmits ? 1 : -1;
  results.congestion = outcome_.congestion;
  for (const StreamResult& stream : outcome_.streams) {
    results.streams.push_back(
        {.id = stream.id,
         .bytes = stream.sent.value_or(stream.received.value_or(measure::ByteCount())).bytes(),
         .retransmits = stream.retransmits.value_or(-1),
         .end_time = outcome_.counted.count()});
  }
  return results;
}

// The server's results are worth waiting for, but the samples stay whatever happens here.
asio::awaitable<void> ClientSession::exchange_results() {
  if (outcome_.stop_reason == StopReason::peer_ended) co_return;
  const auto time =
      outcome_.stop_reason == StopReason::stopped ? Clock::duration(kStoppedResultsTime) : kResultsTime;
  std::string failure;
  try {
    // Bounded by time alone: being stopped is no reason to drop the server's figures.
    co_await finish_with_peer(Bound::within(time));
  } catch (const std::system_error& error) {
    failure = error.what();
  }
  if (failure.empty()) co_return;
  outcome_.notes.push_back({.code = "no-peer-results",
                            .severity = Severity::warning,
                            .text = "The server's results are missing: " + failure + "."});
}

asio::awaitable<void> ClientSession::finish_with_peer(Bound bound) {
  co_await test_.control.write(std::string(1, static_cast<char>(State::test_end)), bound);
  co_await await_exchange(bound);
  co_await test_.control.write(frame(write_results(own_results())), bound);
  outcome_.peer = read_results(co_await test_.control.read_message(kLargestResults, bound));
  co_await test_.control.read_state(bound);  // DISPLAY_RESULTS
  mover_.finish();                           // the server waits for the streams to close
  co_await test_.control.write(std::string(1, static_cast<char>(State::iperf_done)), bound);
  co_await test_.control.linger(Bound::within(kFarewellTime));
}

asio::awaitable<void> ClientSession::await_exchange(Bound bound) {
  const State state = co_await test_.control.read_state(bound);
  if (state == State::exchange_results) co_return;
  if (state == State::server_error) {
    const ServerError error = co_await read_server_error(test_.control, {});
    throw std::system_error(to_errc(error), "the server says: " + error.text);
  }
  throw std::system_error(Errc::protocol,
                          "the server sent " + describe(state) + " after the end of the test");
}

}  // namespace nasdiag::netbench
