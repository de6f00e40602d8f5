#include "diagnose/plan/steps.hpp"

#include <measure/quantity_text.hpp>
#include <netbench/client.hpp>
#include <netbench/error.hpp>

#include <chrono>
#include <system_error>

namespace nasdiag::plan {

namespace {

using evidence::Experiment;
using evidence::ExperimentKind;
using measure::Direction;

constexpr std::chrono::seconds kBusyWait{10};

netbench::TcpOptions options_of(const Step& step, const evidence::RunSettings& settings) {
  netbench::TcpOptions options;
  options.host = settings.server;
  options.port = static_cast<std::uint16_t>(settings.port);
  options.flow = step.direction == Direction::write ? netbench::Flow::write : netbench::Flow::read;
  options.streams = step.kind == ExperimentKind::tcp_four_streams ? 4 : 1;
  options.time = std::chrono::duration_cast<std::chrono::milliseconds>(step.time_limit);
  options.precision = measure::StopRule{};
  options.busy_wait = kBusyWait;
  return options;
}

// Errors that the next TCP step would meet again.
bool lasts(const std::error_code& code) {
  using netbench::Errc;
  return code == Errc::refused || code == Errc::unreachable || code == Errc::unknown_host ||
         code == Errc::not_iperf3 || code == Errc::auth_required || code == Errc::busy;
}

std::string failure_text(const std::system_error& error) {
  std::string text = error.what();
  const std::string advice = netbench::error_advice(error.code());
  if (!text.ends_with('.')) text += '.';
  if (!advice.empty()) text += " " + advice;
  return text;
}

}  // namespace

void Steps::measure_tcp(const Step& step, Experiment& experiment) {
  if (settings_.server.empty())
    throw StepSkipped(
        "Not measured: no --server was given. Start `iperf3 -s` on the NAS and name the NAS with --server.");
  if (!network_down_.empty()) throw StepSkipped("Not tried again: " + network_down_);
  try {
    netbench::TcpResult result = netbench::measure_tcp(options_of(step, settings_), progress_, stop_);
    if (result.stop_reason == netbench::StopReason::peer_ended) {
      experiment.outcome = evidence::Outcome::failed;
      experiment.failure = "The server ended the test after " + measure::duration_text(result.duration) +
                           "; the figure is that until then. Is it still running?";
    }
    experiment.result = std::move(result);
  } catch (const std::system_error& error) {
    const std::string text = failure_text(error);
    if (lasts(error.code())) network_down_ = text;
    throw StepFailed(text);
  }
}

}  // namespace nasdiag::plan
