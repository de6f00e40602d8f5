#pragma once

// From what a test saw to its result. Pure functions.

#include "client_session.hpp"

#include <netbench/limit.hpp>
#include <netbench/options.hpp>
#include <netbench/plateau.hpp>
#include <netbench/result.hpp>

namespace nasdiag::netbench {

TcpResult assemble_result(const TcpOptions& options, ClientOutcome outcome);

// What our end knows beside the samples. CPU in cores, as in LimitInput.
struct OwnEnd {
  std::optional<double> sender_cpu;
  std::optional<double> receiver_cpu;
  std::optional<double> sender_busiest_thread;
  std::optional<double> receiver_busiest_thread;
  measure::ByteCount send_buffer;
  measure::ByteCount receive_buffer;
  bool local_peer = false;  // the peer is this machine: no link is between
  IpVersion version = IpVersion::v4;
  // By how much the round trips of the probe grew under load.
  std::optional<std::chrono::microseconds> probe_growth;
};
LimitInput limit_input_of(const DirectionResult& direction, const TcpOptions& options, const OwnEnd& own);

}  // namespace nasdiag::netbench
