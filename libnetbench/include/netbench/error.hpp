#pragma once

// What can go wrong with a peer. Functions of this library throw std::system_error only, with one of these
// codes or the system's, and a context that says what was tried with whom. error_advice says what to do about
// it.

#include <string>
#include <system_error>

namespace nasdiag::netbench {

enum class Errc {
  busy = 1,             // the server runs another test
  refused,              // nobody listens there
  unreachable,          // no answer or no route
  unknown_host,         // the name does not resolve
  not_iperf3,           // somebody listens, but doesn't speak iperf3
  protocol,             // the peer broke the protocol
  auth_required,        // the server wants a login, or another one
  parameters_rejected,  // the server refused what was asked for
  peer_terminated,      // the peer ended the test or died
  timed_out,            // the peer stopped answering
  bidir_unsupported,    // the server is older than iperf3 3.7
  socket_option,        // a window, MSS, congestion control that the kernel here refuses
  stopped               // by the stop token, before anything was measured
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

// One sentence on what to do; empty for codes that are not of this library.
std::string error_advice(const std::error_code& code);

}  // namespace nasdiag::netbench

template <>
struct std::is_error_code_enum<nasdiag::netbench::Errc> : std::true_type {};
