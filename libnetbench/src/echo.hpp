#pragma once

// A service of nasdiag's own beside iperf3's: sends back whatever comes. A client asks for it with a cookie
// that no iperf3 makes; a plain iperf3 server answers "busy" during a test, which tells that there is none.

#include "channel.hpp"

#include <stop_token>
#include <string>

namespace nasdiag::netbench {

const std::string& echo_cookie();
inline constexpr char kEchoReady = 'E';  // the server's first byte; no state of iperf3

// Until the client closes, says nothing for ten seconds, or ten minutes are over.
asio::awaitable<void> serve_echo(Channel& channel, std::stop_token stop);

}  // namespace nasdiag::netbench
