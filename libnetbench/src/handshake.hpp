#pragma once

// The client's way to a running test: connect, agree on the parameters, open the streams, wait for the start.

#include "channel.hpp"
#include "endpoint.hpp"
#include "mover.hpp"
#include "recorder.hpp"

#include <netbench/options.hpp>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace nasdiag::netbench {

// A test that the server has started.
struct OpenTest {
  Channel control;
  Streams streams;
  Endpoint peer;
  std::chrono::microseconds connect_time;
};

// The parameters that say to the server what the options ask for.
Parameters to_parameters(const TcpOptions& options, std::string auth_token);
std::int64_t block_size_of(const TcpOptions& options);
std::chrono::seconds omit_of(const TcpOptions& options);  // whole seconds, because both ends run the timer

// Tries the peers in their order until one answers. Throws std::system_error: Errc::busy, refused,
// unreachable, not_iperf3, auth_required, parameters_rejected, bidir_unsupported, …
asio::awaitable<OpenTest> open_test(const TcpOptions& options, std::string auth_token,
                                    std::vector<Endpoint> peers, std::stop_token stop);

// After a SERVER_ERROR state: reads its code. Some servers send one word, others two.
struct ServerError {
  std::int32_t code = 0;
  std::string text;
};
asio::awaitable<ServerError> read_server_error(Channel& control, std::stop_token stop);
Errc to_errc(const ServerError& error);

}  // namespace nasdiag::netbench
