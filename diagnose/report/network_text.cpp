#include "diagnose/report/network_text.hpp"

#include <measure/quantity_text.hpp>
#include <netbench/plateau.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace nasdiag::report {

using measure::DataRate;
using measure::Seconds;
using netbench::DirectionResult;
using netbench::TcpResult;

namespace {

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string line(const std::string& name, const std::string& text, const TextStyle& style) {
  return wrapped(text, padded(name, 12), style.width);
}

std::string microseconds_text(std::chrono::nanoseconds time) { return measure::duration_text(Seconds(time)); }

std::string throughput_sentence(const DirectionResult& direction) {
  std::string text = measure::to_text(direction.throughput);
  if (direction.precision && direction.precision->mean == direction.throughput) {
    const measure::RateSample& first = direction.series[direction.precision->first_sample];
    const measure::RateSample& last = direction.series.back();
    text += " ±" + number(100 * direction.precision->relative(), 1) + " %, steady from " +
            number(first.start.count(), 1) + " to " + number((last.start + last.length).count(), 1) + " s";
  }
  text += direction.source == netbench::SeriesSource::received       ? ", counted by this end as it received"
          : direction.source == netbench::SeriesSource::acknowledged ? ", as the server's kernel acknowledged"
                                                                     : ", as this end sent";
  return text + ".";
}

std::string limit_sentence(const DirectionResult& direction) {
  if (direction.limit.limit == netbench::Limit::unknown)
    return "the numbers of this run don't single one out.";
  std::string text = std::string(netbench::to_string(direction.limit.limit)) + ".";
  for (const std::string& evidence : direction.limit.evidence) text += " " + evidence;
  return text;
}

int mtu_of(const DirectionResult& direction) {
  for (const auto& stream : direction.streams) {
    if (!stream.tcp_info.empty() && stream.tcp_info.back().path_mtu > 0)
      return static_cast<int>(stream.tcp_info.back().path_mtu);
  }
  return 1500;
}

std::string plateau_sentence(const TcpResult& result, const DirectionResult& direction) {
  if (!direction.limit_input.link_payload || direction.limit.limit != netbench::Limit::path_rate) return {};
  const bool v6 = result.remote_address.find(':') != std::string::npos;
  const int mtu = mtu_of(direction);
  const auto plateau =
      netbench::recognise_plateau({.throughput = direction.throughput,
                                   .mtu = mtu,
                                   .version = v6 ? netbench::IpVersion::v6 : netbench::IpVersion::v4,
                                   .retransmitted_share = direction.limit_input.retransmitted_share,
                                   .with_more_streams = {}});
  if (!plateau) return {};
  return "This is exactly what a " + plateau->name + " link carries (" + measure::to_text(plateau->payload) +
         " at an MTU of " + std::to_string(mtu) + "), whatever is printed on the adapters.";
}

std::string shape_sentences(const DirectionResult& direction) {
  std::string text;
  for (const measure::ChangePoint& change : direction.change_points) {
    text += "At " + number(change.time.count(), 1) + " s it went from " +
            measure::megabits_text(change.before) + " to " + measure::megabits_text(change.after) + ". ";
  }
  if (direction.trend && direction.trend->significant() && direction.change_points.empty()) {
    text += "Over the run it " + std::string(direction.trend->relative_change < 0 ? "fell" : "rose") +
            " by " + number(100 * std::min(1.0, std::abs(direction.trend->relative_change)), 0) + " %. ";
  }
  return text;
}

std::string direction_text(const TcpResult& result, const DirectionResult& direction,
                           const TextStyle& style) {
  std::string text = line(to_string(direction.direction), throughput_sentence(direction), style);
  text += line("  limit", limit_sentence(direction), style);
  if (const std::string plateau = plateau_sentence(result, direction); !plateau.empty())
    text += line("  link", plateau, style);
  if (const std::string shape = shape_sentences(direction); !shape.empty())
    text += line("  shape", shape, style);
  if (!direction.sending_method.empty()) {
    text += line("  sent by",
                 direction.sending_method + " in blocks of " + measure::to_text(result.block_size) +
                     ", congestion control " + direction.congestion + ".",
                 style);
  }
  return text;
}

std::string rtt_sentence(const netbench::RttSeries& rtt) {
  std::string text;
  const auto add = [&](const char* when, const measure::LatencyHistogram& times) {
    if (times.count() == 0) return;
    text += std::string(when) + " " + microseconds_text(*times.quantile(0.5)) +
            " (99 %: " + microseconds_text(*times.quantile(0.99)) + ", most " +
            microseconds_text(*times.max()) + ")  ";
  };
  add("idle", rtt.idle);
  add("under load", rtt.loaded);
  return text + "by " + rtt.method + ".";
}

std::string cpu_sentence(const TcpResult& result) {
  std::string text;
  if (result.local_cpu) text += "here " + number(result.local_cpu->total, 0) + " %";
  if (result.remote_cpu)
    text += (text.empty() ? "" : ", ") + std::string("at the server ") + number(result.remote_cpu->total, 0) +
            " %";
  return text + " of a core.";
}

const char* stop_text(netbench::StopReason reason) {
  switch (reason) {
    case netbench::StopReason::time_over:
      return "The time was over";
    case netbench::StopReason::amount_reached:
      return "The amount was reached";
    case netbench::StopReason::precise:
      return "The throughput was known well enough";
    case netbench::StopReason::stopped:
      return "Stopped by you";
    case netbench::StopReason::peer_ended:
      return "The server ended the test";
  }
  return "";
}

std::string sweep_rows(const std::vector<TcpResult>& steps, DataRate best, bool windows) {
  std::string text;
  for (const TcpResult& step : steps) {
    const DirectionResult& direction = step.directions.front();
    const std::string name = windows ? measure::to_text(step.options.window.value_or(measure::ByteCount()))
                                     : std::to_string(step.options.streams);
    text += right_aligned(name, 9) + "  " + right_aligned(measure::megabits_text(direction.throughput), 14) +
            "  " + padded(bar(best.bits_per_second() > 0 ? direction.throughput / best : 0, 30), 30) + "  " +
            to_string(direction.limit.limit) + "\n";
  }
  return text;
}

DataRate best_of(const std::vector<TcpResult>& steps) {
  DataRate best;
  for (const TcpResult& step : steps) best = std::max(best, step.directions.front().throughput);
  return best;
}

std::string mtu_sentence(const netbench::MtuProbe& mtu) {
  std::string text = "interface " + std::to_string(mtu.interface_mtu);
  if (!mtu.path_mtu) return text + "; nothing on the way answered the probes.";
  text += ", path " + std::to_string(*mtu.path_mtu) + " (by " + mtu.method + ")";
  if (mtu.reported_mtu) text += "; " + mtu.reported_by + " reports " + std::to_string(*mtu.reported_mtu);
  if (mtu.black_hole) text += "; larger packets vanish without a word: an MTU is set wrong on the way";
  return text + ".";
}

}  // namespace

std::string network_text(const TcpResult& result, const TextStyle& style) {
  std::string text;
  for (const DirectionResult& direction : result.directions) text += direction_text(result, direction, style);
  if (result.rtt) text += line("round trip", rtt_sentence(*result.rtt), style);
  text += line("cpu", cpu_sentence(result), style);
  text += line(
      "ended",
      std::string(stop_text(result.stop_reason)) + ", after " + number(result.duration.count(), 1) + " s.",
      style);
  for (const measure::Note& note : result.notes) text += line("note", printable(note.text), style);
  return text;
}

std::string stream_sweep_text(const netbench::StreamSweep& sweep, const TextStyle& style) {
  std::string text =
      std::string(to_string(sweep.direction)) + ", more and more streams\n  streams      throughput\n";
  text += sweep_rows(sweep.steps, best_of(sweep.steps), false);
  const std::string meaning =
      sweep.ceiling == netbench::Ceiling::shared
          ? "shared: one stream reaches what several do. The limit is a link or machine that all share."
      : sweep.ceiling == netbench::Ceiling::per_flow
          ? "per flow: several streams reach more than one. Each connection has a limit of its own: a "
            "window, or one core of a router or of an end."
          : "these figures don't say whether the limit is of each connection or of all.";
  return text + line("ceiling", meaning + " Enough: " + std::to_string(sweep.enough_streams) + ".", style);
}

std::string window_sweep_text(const netbench::WindowSweep& sweep, const TextStyle& style) {
  std::string text =
      std::string(to_string(sweep.direction)) + ", larger and larger windows\n   window      throughput\n";
  text += sweep_rows(sweep.steps, best_of(sweep.steps), true);
  if (!sweep.enough_window) return text;
  return text + line("enough",
                     "a window of " + measure::to_text(*sweep.enough_window) + " reaches 97 % of the best.",
                     style);
}

std::string path_text(const netbench::PathFacts& path, const TextStyle& style) {
  std::string way = path.local             ? "this machine itself"
                    : path.gateway.empty() ? "directly connected"
                                           : "through the gateway " + path.gateway;
  if (path.hops && *path.hops > 0)
    way += ", " + std::to_string(*path.hops) + (*path.hops == 1 ? " router" : " routers") + " in between";
  std::string all;
  for (const std::string& address : path.addresses) all += (all.empty() ? "" : ", ") + address;
  std::string text = line(
      "path", path.local_address + " on " + path.interface + " to " + path.address + ": " + way + ".", style);
  if (path.addresses.size() > 1) text += line("addresses", all + ".", style);
  if (!path.connect_times.empty()) {
    const auto least = *std::min_element(path.connect_times.begin(), path.connect_times.end());
    text += line("round trip", microseconds_text(least) + " at the least, by handshakes with a closed port.",
                 style);
  }
  text += line("mtu", mtu_sentence(path.mtu), style);
  for (const measure::Note& note : path.notes) text += line("note", printable(note.text), style);
  return text;
}

}  // namespace nasdiag::report
