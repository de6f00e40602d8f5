#include "assemble.hpp"
#include "auth.hpp"
#include "client_session.hpp"
#include "handshake.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <thread>

namespace nasdiag::netbench {

namespace {

constexpr std::chrono::milliseconds kRetryPause{100};
// iperf3 opens its listener anew after each test: a client that comes right then is reset or refused.
constexpr std::chrono::milliseconds kResetGrace{400};
constexpr std::chrono::milliseconds kRefusedGrace{150};

void check(const TcpOptions& options) {
  const auto refuse = [](const std::string& why) {
    throw std::system_error(std::make_error_code(std::errc::invalid_argument), why);
  };
  if (options.host.empty()) refuse("no host was given");
  if (options.streams < 1 || options.streams > kMostStreams) refuse("streams must be 1 to 128");
  if (options.time.count() < 0) refuse("the time can't be negative");
  if (options.time.count() == 0 && !options.amount && !options.blocks)
    refuse("a test without a time needs an amount");
  if (options.omit.count() < 0 || options.omit > std::chrono::seconds(60))
    refuse("omit must be 0 to 60 seconds");
  const std::int64_t block = block_size_of(options);
  if (block < 1 || block > kLargestBlock) refuse("the block size must be 1 byte to 1 MiB");
  if (options.window &&
      (options.window->bytes() < 1 || *options.window > measure::ByteCount::mebibytes(512))) {
    refuse("the window must be 1 byte to 512 MiB");
  }
  if (options.sample_interval < std::chrono::milliseconds(10))
    refuse("the sample interval must be 10 ms or more");
}

// One attempt, from connecting to the results.
class Attempt {
 public:
  Attempt(const TcpOptions& options, std::vector<Endpoint> peers, measure::ProgressObserver& progress,
          std::stop_token stop)
      : options_(options), peers_(std::move(peers)), progress_(progress), stop_(std::move(stop)) {}

  ClientOutcome run() {
    asio::io_context context(1);
    std::exception_ptr failure;
    asio::co_spawn(context, test(), [&failure](std::exception_ptr error) { failure = std::move(error); });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(outcome_);
  }

 private:
  asio::awaitable<void> test() {
    std::string token;
    if (options_.credentials)
      token = make_auth_token(*options_.credentials, std::chrono::system_clock::now());
    OpenTest open = co_await open_test(options_, std::move(token), std::move(peers_), stop_);
    ClientSession session(options_, std::move(open), progress_, stop_);
    co_await session.run();
    outcome_ = session.take_outcome();
  }

  const TcpOptions& options_;
  std::vector<Endpoint> peers_;
  measure::ProgressObserver& progress_;
  std::stop_token stop_;
  ClientOutcome outcome_;
};

Clock::duration patience_with(const std::system_error& error, const TcpOptions& options) {
  if (error.code() == Errc::busy) return std::max<Clock::duration>(options.busy_wait, kResetGrace);
  if (error.code() == Errc::refused) return kRefusedGrace;
  return Clock::duration::zero();
}

// Asks a busy server again until the time is over.
ClientOutcome run_when_free(const TcpOptions& options, const std::vector<Endpoint>& peers,
                            measure::ProgressObserver& progress, const std::stop_token& stop) {
  const Clock::time_point begin = Clock::now();
  while (true) {
    try {
      return Attempt(options, peers, progress, stop).run();
    } catch (const std::system_error& error) {
      if (Clock::now() + kRetryPause > begin + patience_with(error, options) || stop.stop_requested()) throw;
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

std::vector<std::string> texts(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> all;
  for (const Endpoint& endpoint : endpoints) all.push_back(address_text(endpoint));
  return all;
}

// A server before iperf3 3.7 starts such a test, but answers the second half of the streams with "busy".
bool reading_half_was_refused(const TcpResult& result) {
  const DirectionResult* reading = result.find(measure::Direction::read);
  if (result.options.flow != Flow::both || reading == nullptr) return false;
  return result.stop_reason == StopReason::peer_ended && reading->received.bytes() <= result.options.streams;
}

TcpResult measure(const TcpOptions& options, measure::ProgressObserver& progress,
                  const std::stop_token& stop) {
  check(options);
  const Bound lookup = Bound::within(options.connect_timeout, stop);
  const std::vector<Endpoint> peers = resolve(options.host, options.port, options.family, lookup);
  TcpResult result = assemble_result(options, run_when_free(options, peers, progress, stop));
  result.addresses = texts(peers);
  if (reading_half_was_refused(result))
    throw std::system_error(Errc::bidir_unsupported, options.host + " refused the streams to read from");
  measure::ByteCount moved;
  for (const DirectionResult& direction : result.directions) moved += direction.sent + direction.received;
  if (moved.bytes() == 0 && result.stop_reason == StopReason::peer_ended) {
    throw std::system_error(Errc::peer_terminated,
                            result.notes.empty() ? options.host : result.notes.front().text);
  }
  return result;
}

}  // namespace

TcpResult measure_tcp(const TcpOptions& options, measure::ProgressObserver& progress,
                      const std::stop_token& stop) {
  try {
    return measure(options, progress, stop);
  } catch (const boost::system::system_error& error) {
    // What Asio throws is no std::system_error.
    throw std::system_error(error.code(), "measuring TCP to " + options.host);
  }
}

}  // namespace nasdiag::netbench
