#include "nasdiag/net_command.hpp"

#include "nasdiag/interrupt.hpp"
#include "nasdiag/live_progress.hpp"
#include "nasdiag/net_options.hpp"
#include "nasdiag/report_output.hpp"

#include <diagnose/formats/iperf3_json.hpp>
#include <diagnose/formats/iperf3_text.hpp>
#include <diagnose/report/json_text.hpp>
#include <diagnose/report/network_json.hpp>
#include <diagnose/report/network_text.hpp>
#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/path.hpp>
#include <netbench/sweep.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <spdlog/spdlog.h>

#include <sys/utsname.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <system_error>

namespace nasdiag::app {

namespace {

namespace json = boost::json;

std::string system_info() {
  utsname name{};
  if (::uname(&name) != 0) return "Linux";
  return std::string(name.sysname) + " " + name.nodename + " " + name.release + " " + name.version + " " +
         name.machine;
}

formats::Iperf3Context context_of(const NetRequest& request) {
  return {
      .version = "nasdiag " NASDIAG_VERSION,
      .system_info = system_info(),
      .started_at = std::chrono::system_clock::now(),
      .interval = request.interval.count() > 0 ? measure::Seconds(request.interval) : measure::Seconds(3600)};
}

// What a measurement came to: both forms, and whether all went well.
struct Output {
  std::string text;
  json::object object;
  bool failed = false;
};

bool nothing_arrived(const netbench::TcpResult& result) {
  return std::any_of(
      result.directions.begin(), result.directions.end(),
      [](const netbench::DirectionResult& way) { return way.throughput.bits_per_second() <= 0; });
}

Output run_single(const NetRequest& request, measure::ProgressObserver& progress,
                  const std::stop_token& stop) {
  const formats::Iperf3Context context = context_of(request);
  const netbench::TcpResult result = netbench::measure_tcp(request.options, progress, stop);
  Output output;
  output.text =
      formats::iperf3_text(result, context.interval) + "\n" + report::network_text(result, style_of_stdout());
  output.object = formats::iperf3_json(result, context);
  output.object["nasdiag"] = report::to_json(result);
  output.failed = result.stop_reason == netbench::StopReason::peer_ended || nothing_arrived(result);
  return output;
}

json::array steps_of(const std::vector<netbench::TcpResult>& steps) {
  json::array all;
  for (const netbench::TcpResult& step : steps) all.push_back(report::to_json(step));
  return all;
}

Output run_stream_sweep(const NetRequest& request, measure::ProgressObserver& progress,
                        const std::stop_token& stop) {
  netbench::TcpOptions options = request.options;
  options.precision = measure::StopRule{};
  const netbench::StreamSweep sweep = netbench::sweep_streams(options, {1, 2, 4, 8}, progress, stop);
  Output output;
  output.text = report::stream_sweep_text(sweep, style_of_stdout());
  output.object = {{"direction", to_string(sweep.direction)},
                   {"ceiling", to_string(sweep.ceiling)},
                   {"enough_streams", sweep.enough_streams},
                   {"steps", steps_of(sweep.steps)}};
  return output;
}

Output run_window_sweep(const NetRequest& request, measure::ProgressObserver& progress,
                        const std::stop_token& stop) {
  netbench::TcpOptions options = request.options;
  options.precision = measure::StopRule{};
  const netbench::WindowSweep sweep = netbench::sweep_windows(options, *request.window_sweep, progress, stop);
  Output output;
  output.text = report::window_sweep_text(sweep, style_of_stdout());
  output.object = {{"direction", to_string(sweep.direction)}, {"steps", steps_of(sweep.steps)}};
  output.object["enough_window_bytes"] =
      sweep.enough_window ? json::value(sweep.enough_window->bytes()) : json::value();
  return output;
}

json::object path_json(const netbench::PathFacts& path) {
  json::array times;
  for (const auto& time : path.connect_times) times.push_back(time.count());
  json::object mtu{{"interface", path.mtu.interface_mtu},
                   {"method", path.mtu.method},
                   {"black_hole", path.mtu.black_hole}};
  if (path.mtu.path_mtu) mtu["path"] = *path.mtu.path_mtu;
  if (path.mtu.reported_mtu) mtu["reported"] = *path.mtu.reported_mtu;
  if (path.mtu.reported_mtu) mtu["reported_by"] = path.mtu.reported_by;
  json::object object{{"addresses", json::value_from(path.addresses)},
                      {"address", path.address},
                      {"local_address", path.local_address},
                      {"interface", path.interface},
                      {"gateway", path.gateway},
                      {"local", path.local},
                      {"connect_times_us", std::move(times)},
                      {"mtu", std::move(mtu)}};
  object["hops"] = path.hops ? json::value(*path.hops) : json::value();
  return object;
}

Output run_path(const NetRequest& request, const std::stop_token& stop) {
  netbench::PathOptions options;
  options.host = request.options.host;
  options.port = request.options.port;
  options.family = request.options.family;
  options.bind_address = request.options.bind_address;
  options.bind_interface = request.options.bind_interface;
  const netbench::PathFacts path = netbench::explore_path(options, stop);
  Output output;
  output.text = report::path_text(path, style_of_stdout());
  output.object = path_json(path);
  return output;
}

Output run(const NetRequest& request, measure::ProgressObserver& progress, const std::stop_token& stop) {
  if (request.path_only) return run_path(request, stop);
  if (request.stream_sweep) return run_stream_sweep(request, progress, stop);
  if (request.window_sweep) return run_window_sweep(request, progress, stop);
  return run_single(request, progress, stop);
}

void deliver(const NetRequest& request, const Output& output) {
  if (!request.json_file.empty())
    report::write_text_file(request.json_file, report::json_text(output.object));
  std::cout << (request.json_to_stdout ? report::json_text(output.object) : output.text);
}

int report_failure(const NetRequest& request, const std::system_error& error, bool interrupted) {
  std::string text = error.what();
  if (const std::string advice = netbench::error_advice(error.code()); !advice.empty()) text += ". " + advice;
  if (request.json_to_stdout)
    std::cout << report::json_text(formats::iperf3_error_json(text, context_of(request)));
  if (interrupted) return kInterrupted;
  if (error.code() == std::errc::invalid_argument) throw UsageError(text);
  spdlog::error("{}", text);
  return kNothingMeasured;
}

}  // namespace

int net_command(const std::vector<std::string>& arguments) {
  const NetRequest request = parse_net_request(arguments);
  if (request.help_shown) return kDone;
  check_writable(request.json_file);
  const Interrupt interrupt;
  std::optional<Output> output;
  try {
    LiveProgress progress;
    output = run(request, progress, interrupt.token());
  } catch (const std::system_error& error) {
    return report_failure(request, error, interrupt.interrupted());
  }
  deliver(request, *output);
  if (interrupt.interrupted()) return kInterrupted;
  return output->failed ? kLayerFailed : kDone;
}

}  // namespace nasdiag::app
