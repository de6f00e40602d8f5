#pragma once

// A test that runs, as a client: the clock, the records, the end.

#include "cpu_meter.hpp"
#include "handshake.hpp"
#include "rtt_probe.hpp"

#include <measure/progress.hpp>
#include <netbench/options.hpp>
#include <netbench/result.hpp>

#include <optional>
#include <stop_token>
#include <string>

namespace nasdiag::netbench {

// Everything a test saw, before it is made into a result.
struct ClientOutcome {
  Endpoint local;
  Endpoint remote;
  std::chrono::microseconds connect_time{0};
  std::vector<StreamResult> streams;  // our end
  std::vector<Role> roles;            // of the streams, in the same order
  measure::SampleSeries sent_series;
  measure::SampleSeries received_series;
  SeriesSource sent_source = SeriesSource::sent;
  measure::ByteCount sent;
  measure::ByteCount received;
  std::optional<std::int64_t> retransmits;  // of our sending streams
  measure::Seconds counted{0};
  measure::Seconds omitted{0};
  CpuUse cpu;
  std::optional<double> busiest_sender;  // our threads, of one core
  std::optional<double> busiest_receiver;
  std::string congestion;
  std::int64_t send_buffer = 0;
  std::int64_t receive_buffer = 0;
  std::int64_t block_size = 0;
  SendingMethod method = SendingMethod::write;
  StopReason stop_reason = StopReason::time_over;
  std::optional<Results> peer;
  std::optional<RttSeries> rtt;
  measure::Notes notes;
};

class ClientSession {
 public:
  ClientSession(const TcpOptions& options, OpenTest test, measure::ProgressObserver& progress,
                std::stop_token stop);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Until the end, whatever ends it: what happened is in the outcome. Throws only if the system fails.
  asio::awaitable<void> run();
  ClientOutcome take_outcome() { return std::move(outcome_); }

 private:
  asio::awaitable<void> run_until_the_end();
  asio::awaitable<bool> peer_goes_on(State state);
  bool streams_go_on();
  bool clock_goes_on(Clock::time_point now);
  void begin_counting(Clock::time_point now);
  bool amount_reached() const;
  bool precise_enough() const;
  void report_progress(Clock::time_point now);
  void end(StopReason reason);
  void end_by_peer(const std::string& what);

  void begin_probe();
  asio::awaitable<void> end_probe();
  asio::awaitable<void> exchange_results();
  asio::awaitable<void> finish_with_peer(Bound bound);
  asio::awaitable<void> await_exchange(Bound bound);
  void keep_records(Clock::time_point now);
  Results own_results() const;
  double share_of_core(std::optional<std::chrono::nanoseconds> now, std::chrono::nanoseconds before) const;

  const TcpOptions& options_;
  measure::ProgressObserver& progress_;
  std::stop_token stop_;
  OpenTest test_;
  std::string phase_;
  Clock::time_point start_;
  Recorder recorder_;
  Mover mover_;
  std::optional<RoundTripProbe> probe_;
  CpuMeter cpu_;
  std::chrono::nanoseconds sender_cpu_before_{0};
  std::chrono::nanoseconds receiver_cpu_before_{0};
  std::optional<Clock::time_point> counting_since_;
  bool ended_ = false;
  ClientOutcome outcome_;
};

}  // namespace nasdiag::netbench
