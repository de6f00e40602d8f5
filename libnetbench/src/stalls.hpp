#pragma once

// Round trips that took as long as a timer of TCP. Pure functions.

#include <netbench/result.hpp>

namespace nasdiag::netbench {

// Some requests waited about 40 ms (delayed acknowledgement against Nagle) or about 200 ms (retransmission
// timeout) while nearly all others were answered at once. Nothing for a way on which all answers take long.
measure::Notes stall_notes(const RttSeries& rtt);

}  // namespace nasdiag::netbench
