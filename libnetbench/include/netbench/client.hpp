#pragma once

#include <measure/progress.hpp>
#include <netbench/options.hpp>
#include <netbench/result.hpp>

#include <stop_token>

namespace nasdiag::netbench {

// Measures what TCP reaches between here and an iperf3 server (3.1.3 or later, or nasdiag's own).
//
// Blocks until done or stopped; a stopped run ends within a second and returns what it has, marked incomplete
// unless the server's results came in time. So does a run whose server dies once payload has flowed
// (stop_reason peer_ended). Makes one thread per stream and direction up to 16 or the number of CPUs; further
// streams share them. May be called from any thread; two runs at the same time measure each other. Throws
// std::system_error (see error.hpp) if no payload could be moved.
TcpResult measure_tcp(const TcpOptions& options, measure::ProgressObserver& progress,
                      const std::stop_token& stop);

}  // namespace nasdiag::netbench
