#pragma once

// From what a test saw to its result. Pure functions.

#include "client_session.hpp"

#include <netbench/limit.hpp>
#include <netbench/options.hpp>
#include <netbench/result.hpp>

namespace nasdiag::netbench {

TcpResult assemble_result(const TcpOptions& options, ClientOutcome outcome);

// What the samples of one direction say about its limit. `cpu` in percent of a core, as in CpuUse.
struct EndsCpu {
  std::optional<double> sender;
  std::optional<double> receiver;
  std::optional<double> sender_busiest_thread;
  std::optional<double> receiver_busiest_thread;
};
LimitInput limit_input_of(const DirectionResult& direction, const TcpOptions& options, const EndsCpu& cpu);

}  // namespace nasdiag::netbench
