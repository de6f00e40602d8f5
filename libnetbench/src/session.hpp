#pragma once

// The server's side of one test: one client, from its cookie to its farewell.

#include "channel.hpp"
#include "cpu_meter.hpp"
#include "endpoint.hpp"
#include "mover.hpp"
#include "recorder.hpp"

#include <netbench/server.hpp>

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace nasdiag::netbench {

// What a session needs from the server around it.
struct SessionHost {
  const ServerOptions& options;
  std::stop_token stop;
  std::function<void(int)> announce_segment_size;  // for connections to come; 0 = the default again
};

class Session {
 public:
  Session(SessionHost host, Channel control, Endpoint peer, std::string cookie);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Until the client is served or gone. Never throws.
  asio::awaitable<ServedTest> run();

  // Its streams are awaited. Does a connection with this cookie belong to it?
  bool gathering() const { return gathering_; }
  bool wants(const Endpoint& peer, const std::string& cookie) const;
  // Connections are numbered as they were accepted; that order makes the identity of a stream.
  void add_stream(std::uint64_t accepted, asio::ip::tcp::socket socket);

 private:
  struct Arrived {
    std::uint64_t accepted;
    asio::ip::tcp::socket socket;
  };

  asio::awaitable<void> serve();
  asio::awaitable<void> agree();
  void check_policy() const;
  asio::awaitable<void> gather_streams();
  asio::awaitable<bool> stream_arrives(Bound bound);
  void make_streams();
  asio::awaitable<void> run_test();
  asio::awaitable<bool> client_goes_on();
  void check_clock(Clock::time_point now);
  void check_payload(Clock::time_point now);
  asio::awaitable<void> exchange_results();
  asio::awaitable<void> refuse(Refusal refusal);
  Results own_results();
  std::size_t wanted_streams() const;
  SocketSettings settings() const;
  MoverOptions mover_options();
  std::uint64_t received_so_far() const;
  Bound within(Clock::duration time) const { return Bound::within(time, host_.stop); }

  SessionHost host_;
  Channel control_;
  Endpoint peer_;
  std::string cookie_;
  Parameters parameters_;
  bool gathering_ = false;
  std::vector<Arrived> arrived_;
  std::optional<asio::steady_timer> arrival_;
  Streams streams_;
  std::optional<Recorder> recorder_;
  std::optional<Mover> mover_;
  CpuMeter cpu_;
  Clock::time_point start_;
  Clock::time_point last_payload_;
  std::uint64_t last_received_ = 0;
  bool omitting_ = false;
  ServedTest served_;
};

}  // namespace nasdiag::netbench
