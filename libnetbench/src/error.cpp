#include <netbench/error.hpp>

namespace nasdiag::netbench {

namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "netbench"; }

  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::busy:
        return "the server is busy with another test";
      case Errc::refused:
        return "the connection was refused";
      case Errc::unreachable:
        return "no answer";
      case Errc::unknown_host:
        return "the name is not known";
      case Errc::not_iperf3:
        return "what listens there does not speak iperf3";
      case Errc::protocol:
        return "the peer broke the iperf3 protocol";
      case Errc::auth_required:
        return "the server requires authentication or refused it";
      case Errc::parameters_rejected:
        return "the server refused the parameters";
      case Errc::peer_terminated:
        return "the peer ended the test";
      case Errc::timed_out:
        return "the peer stopped answering";
      case Errc::bidir_unsupported:
        return "the server can't do both directions at once";
      case Errc::socket_option:
        return "a socket option was refused";
      case Errc::stopped:
        return "stopped";
    }
    return "unknown error";
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

std::string error_advice(const std::error_code& code) {
  if (code.category() != error_category()) return {};
  switch (static_cast<Errc>(code.value())) {
    case Errc::busy:
      return "Wait until the other test is over, or start the server on another port with iperf3 -s -p.";
    case Errc::refused:
      return "Start a server there: iperf3 -s, or nasdiag serve.";
    case Errc::unreachable:
      return "Check the address, the cable and the firewall (TCP port 5201 must be open).";
    case Errc::unknown_host:
      return "Check the spelling, or use the address.";
    case Errc::not_iperf3:
      return "Check the port; iperf2 (port 5001) does not work.";
    case Errc::auth_required:
      return "Give the user, password and public key with --username and --rsa-public-key-path.";
    case Errc::parameters_rejected:
      return "Ask for less: fewer streams, a shorter test, smaller blocks or windows.";
    case Errc::peer_terminated:
      return "See the server's log; start it again if it is gone.";
    case Errc::timed_out:
      return "Check that the server still runs and the network is up.";
    case Errc::bidir_unsupported:
      return "Measure one direction after the other, or install iperf3 3.7 or later there.";
    case Errc::protocol:
      return "Restart the server; if that doesn't help, install a current iperf3 there.";
    case Errc::socket_option:
    case Errc::stopped:
      return {};
  }
  return {};
}

}  // namespace nasdiag::netbench
