#include "diagnose/verdict/causes/situation.hpp"

#include <diagnose/verdict/causes/result_of.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

// One connection's rate on a sound path.

namespace nasdiag::verdict {

namespace {

using measure::ByteCount;
using measure::DataRate;

// A mount with one connection gets at least this much of what one stream gets where the connection's window
// or losses are the reason; requests and answers in turn cost the rest.
constexpr double kConnectionShare = 0.40;

// The limit of one stream counts where one stream is the limit, and for a mount whose one connection suffers
// from the same.
std::optional<Sign> sign_of_connection(const Situation& s) {
  if (s.limits(Layer::tcp)) return Sign{.strength = strength::kStrong};
  if (!s.below_all() || !s.one_stream_clearly_below() || !s.job()) return std::nullopt;
  if (*s.job() < *s.rate(Layer::tcp) * kConnectionShare) return std::nullopt;
  return Sign{.strength = strength::kConnection, .most = Confidence::possible};
}

std::vector<std::pair<ByteCount, DataRate>> sweep_of(const Situation& s) {
  std::vector<std::pair<ByteCount, DataRate>> points;
  for (const evidence::Experiment& experiment : s.evidence.experiments) {
    if (experiment.kind != evidence::ExperimentKind::tcp_window ||
        experiment.direction != s.figures.direction)
      continue;
    const auto* result = std::get_if<netbench::TcpResult>(&experiment.result);
    const auto* flow = result != nullptr ? result->find(s.figures.direction) : nullptr;
    if (flow != nullptr) points.emplace_back(result->send_buffer, flow->throughput);
  }
  std::sort(points.begin(), points.end());
  return points;
}

// Larger windows, more throughput: nothing but the window stands in the way.
std::optional<Sign> rising_sweep(const Situation& s) {
  constexpr double kClearlyMore = 1.2;
  const auto points = sweep_of(s);
  if (points.size() < 2 || points.back().second < points.front().second * kClearlyMore) return std::nullopt;
  std::string text = "One stream got more with every larger window:";
  for (const auto& [window, rate] : points)
    text += " " + to_text(window) + " " + measure::megabits_text(rate) + ",";
  text.back() = '.';
  // rate × round trip = window: the same effective round trip all along.
  const auto& [window, rate] = points.front();
  text += " Its effective round trip is " + measure::duration_text(window / rate) + ".";
  return Sign{.strength = strength::kNamed, .evidence = {text}};
}

// A single run with a window of its own, as iperf's -w sets it.
std::optional<Sign> fixed_window(const Situation& s) {
  constexpr ByteCount kSmall = ByteCount::kibibytes(256);
  const auto* run = result_of<netbench::TcpResult>(s.evidence, evidence::ExperimentKind::tcp_one_stream,
                                                   s.figures.direction);
  if (!s.limits(Layer::tcp) || s.slower_plateau() || run == nullptr || run->send_buffer <= ByteCount() ||
      run->send_buffer > kSmall ||
      s.evidence.find(evidence::ExperimentKind::tcp_one_stream, s.figures.direction)->origin.empty())
    return std::nullopt;
  return Sign{.strength = strength::kFair,
              .evidence = {"That run had a fixed window of " + to_text(run->send_buffer) +
                           "; without one the system adapts it."}};
}

// Where the sender can't be asked (it is the NAS): streams add up, nothing is lost, and the way is long
// enough for a window to matter.
std::optional<Sign> adds_up_over_a_long_way(const Situation& s) {
  constexpr measure::Seconds kLongWay{0.0009};
  const auto* one = s.one_stream();
  const auto* more = s.more_streams();
  const auto rtt = s.round_trip();
  if (!s.limits(Layer::tcp) || one == nullptr || more == nullptr || !rtt || *rtt < kLongWay || s.routed() ||
      one->retransmits.value_or(0) > 0)
    return std::nullopt;
  const auto* run = result_of<netbench::TcpResult>(s.evidence, evidence::ExperimentKind::tcp_four_streams,
                                                   s.figures.direction);
  double expected = run->options.streams;
  if (const auto link = s.rate(Layer::link)) expected = std::min(expected, *link / one->throughput);
  if (more->throughput < one->throughput * (expected * 0.8)) return std::nullopt;
  return Sign{
      .strength = strength::kGood,
      .evidence = {"Streams add up without loss over a round trip of " + measure::duration_text(*rtt) +
                   ": each has about " + to_text(one->throughput * *rtt) + " in flight."}};
}

std::optional<Sign> window(const Situation& s) {
  if (s.limits_network())
    if (auto sign = rising_sweep(s)) return sign;
  if (auto sign = fixed_window(s)) return sign;
  if (auto sign = adds_up_over_a_long_way(s)) return sign;
  auto sign = sign_of_connection(s);
  if (!sign || s.one_stream() == nullptr || s.one_stream()->limit.limit != netbench::Limit::receive_window)
    return std::nullopt;
  sign->evidence = s.one_stream()->limit.evidence;
  return sign;
}

std::optional<Sign> socket_buffer(const Situation& s) {
  auto sign = sign_of_connection(s);
  if (!sign) return std::nullopt;
  if (s.one_stream() != nullptr && s.one_stream()->limit.limit == netbench::Limit::send_buffer) {
    sign->evidence = s.one_stream()->limit.evidence;
    return sign;
  }
  if (const auto* note = s.note("small-buffers"))
    return Sign{.strength = s.limits(Layer::tcp) && !s.routed() ? strength::kGood : strength::kEven,
                .evidence = {note->text}};
  return std::nullopt;
}

std::optional<Sign> single_stream(const Situation& s) {
  if (!s.limits(Layer::tcp)) return std::nullopt;
  Sign sign{.strength = s.routed() ? strength::kWeak : strength::kFair};
  if (const auto more = s.rate(Layer::path); more && *more > *s.rate(Layer::tcp))
    sign.evidence.push_back("One connection gets " + to_text(*s.rate(Layer::tcp)) + ", several together " +
                            to_text(*more) + ".");
  // Several were not measured: then one stream isn't known to be the reason.
  if (s.more_streams() == nullptr) sign.strength = strength::kWeak;
  return sign;
}

constexpr const char* kSweep =
    "Repeat with larger windows: `iperf3 -c NAS -w 256K`, then 1M, 4M: a rate that follows the "
    "window is the window's.";

constexpr std::array kCauses{
    Cause{.id = "tcp/kernel-regression",
          .layer = Layer::tcp,
          .meaning = "kernel release",
          .seen = "everything at 7 to 15 MB/s after an update, and well with the kernel before it",
          .against = "the older kernel is as slow",
          .look_alikes = {{{"link/nic-driver", "Boot the older kernel; then swap the adapter."}}},
          .advice = "Boot the kernel from before the update for a comparison, and update past the fault.",
          .gain = "up to the rate before the update",
          .recognise = nullptr},
    Cause{.id = "tcp/single-stream",
          .layer = Layer::tcp,
          .meaning = "one connection limits, several do not",
          .seen = "one stream clearly below several, without a gateway, a small window or loss",
          .against = "several streams together reach no more than one",
          .look_alikes = {{{"tcp/window", kSweep},
                           {"path/router-cpu", "Look for a gateway: `ip route get NAS`."},
                           {"link/lacp-single-flow",
                            "Is one end a bond? Compare its members' counters: `ip -s link`."}}},
          .advice = "Let the mount use several connections (NFS: nconnect=4, SMB: multichannel), and look "
                    "for a device on "
                    "the way that handles each connection by itself.",
          .gain = "up to what several streams reach",
          .recognise = single_stream},
    Cause{.id = "tcp/socket-buffer",
          .layer = Layer::tcp,
          .meaning = "fixed socket buffer, no autotuning",
          .seen = "the sender's buffer is always full, or a program sets its buffers itself",
          .against = "the rate doesn't move with the buffer",
          .look_alikes = {{{"tcp/window", "Which end's buffer is small? `ss -tmi` shows both during a copy."},
                           {"mount/smb-server-socket-options",
                            "Look for `socket options` in the server's smb.conf."}}},
          .advice = "Raise net.ipv4.tcp_wmem at the sending end (`sysctl net.ipv4.tcp_wmem=\"4096 65536 "
                    "16777216\"`) and take "
                    "fixed buffers (SO_SNDBUF, SO_RCVBUF) out of the program's settings.",
          .gain = "up to the link's payload",
          .recognise = socket_buffer},
    Cause{.id = "tcp/window",
          .layer = Layer::tcp,
          .meaning = "small window",
          .seen = "rate × round trip equals the window, no loss, streams add up; a larger window brings more",
          .against = "the rate doesn't move with the window",
          .look_alikes = {{{"path/router-cpu", kSweep},
                           {"path/packet-loss", "Count retransmits: a small window loses nothing."},
                           {"tcp/socket-buffer",
                            "Which end's buffer is small? `ss -tmi` shows both during a copy."}}},
          .advice = "The receiver's window is too small for this round trip: raise net.ipv4.tcp_rmem at the "
                    "receiving end "
                    "(`sysctl net.ipv4.tcp_rmem=\"4096 131072 16777216\"`), leave "
                    "net.ipv4.tcp_window_scaling on, and take "
                    "fixed buffers (`socket options` in smb.conf, iperf's -w) out.",
          .gain = "up to the link's payload",
          .recognise = window},
};

}  // namespace

std::span<const Cause> tcp_causes() { return kCauses; }

}  // namespace nasdiag::verdict
