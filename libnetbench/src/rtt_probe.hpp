#pragma once

// Measures round trips to the server's host on a connection of its own while the streams run, and after them.

#include "unique_fd.hpp"

#include <netbench/result.hpp>

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace nasdiag::netbench {

// How long the host takes to refuse a connection to a port that nobody serves: one round trip, answered by
// its kernel and logged by nobody. Nothing if it doesn't answer within the time.
std::optional<std::chrono::nanoseconds> time_closed_port(const sockaddr_storage& server, socklen_t size,
                                                         std::chrono::milliseconds longest);

// A connection made within the time, or nothing.
UniqueFd connect_within(const sockaddr* host, socklen_t size, std::chrono::milliseconds longest);

class RoundTripProbe {
 public:
  // Start it while a test runs: another nasdiag answers echoes beside its test ("echo"); a plain iperf3 says
  // that it is busy. Then handshakes with a closed port are timed ("connect"): its reset comes from the
  // kernel at once.
  RoundTripProbe(const sockaddr* server, socklen_t size);
  ~RoundTripProbe();
  RoundTripProbe(const RoundTripProbe&) = delete;
  RoundTripProbe& operator=(const RoundTripProbe&) = delete;

  // The streams have ended: what follows is idle.
  void load_is_over() { loaded_.store(false, std::memory_order_relaxed); }
  // Ends the probe. Nothing if nobody answered.
  std::optional<RttSeries> finish();

 private:
  void run();
  bool open_echo();
  std::optional<std::chrono::nanoseconds> ask();
  std::optional<std::chrono::nanoseconds> ask_echo() const;

  sockaddr_storage server_{};
  socklen_t size_;
  int echo_ = -1;
  std::atomic<bool> loaded_{true};
  std::atomic<bool> over_{false};
  RttSeries series_;
  std::thread thread_;
};

}  // namespace nasdiag::netbench
