#include "diagnose/verdict/causes/finding.hpp"

#include <measure/quantity_text.hpp>
#include <netbench/plateau.hpp>

#include <cmath>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::ExperimentKind;
using measure::DataRate;

// One stream clearly below several: what limits it belongs to the single connection.
constexpr double kClearlyBelow = 0.75;
// A mount with one connection gets at least this much of what one stream gets where the connection's window
// or losses are the reason; requests and answers in turn cost the rest.
constexpr double kConnectionShare = 0.40;
// A link of this payload or less, on hardware of this decade, has negotiated less than it can.
constexpr DataRate kFastEthernet = DataRate::megabits_per_second(100);

const netbench::DirectionResult* flow_of(const Evidence& evidence, ExperimentKind kind,
                                         measure::Direction direction) {
  const auto* result = result_of<netbench::TcpResult>(evidence, kind, direction);
  return result != nullptr ? result->find(direction) : nullptr;
}

const evidence::RouteFacts* route_of(const Evidence& evidence) {
  if (evidence.facts.route) return &*evidence.facts.route;
  return evidence.facts.mount_route ? &*evidence.facts.mount_route : nullptr;
}

Finding link_finding(const Evidence& evidence, const Limit& limit) {
  const bool full = limit.rule == LimitRule::link_full || limit.rule == LimitRule::reached_until_flush;
  const Confidence sure = limit.rule == LimitRule::link_full ? Confidence::certain : Confidence::likely;
  if (evidence.link.limited_by == "usb-bus")
    return {
        .layer = Layer::link,
        .cause = "link/usb-bus-speed",
        .confidence = sure,
        .evidence = {"The network adapter's USB port is its limit: " + evidence.link.formula + "."},
        .advice = "Plug the adapter into a faster USB port (blue or marked SS), without a hub in between."};
  if (evidence.link.limited_by == "pcie")
    return {.layer = Layer::link,
            .cause = "link/pcie-lanes",
            .confidence = sure,
            .evidence = {"The network card's slot is its limit: " + evidence.link.formula + "."},
            .advice = "Put the card into a slot with more lanes or a newer PCIe generation."};
  if (evidence.link.rate && *evidence.link.rate < kFastEthernet)
    return {
        .layer = Layer::link,
        .cause = "link/negotiated-speed",
        .confidence = sure,
        .evidence = {"The link runs at 100 Mbit/s or less; today's ports do 1000 and more."},
        .advice =
            "Replace the cable (all eight wires are needed) and try another switch port; then look at the "
            "speed again with `nasdiag facts`."};
  if (full)
    return {
        .layer = Layer::link,
        .cause = "none/link-saturated",
        .confidence = sure,
        .advice = "Nothing is wrong: the link is full. Only a faster link on both ends makes copies faster."};
  return {.layer = Layer::link,
          .cause = "link/negotiated-speed",
          .confidence = Confidence::likely,
          .advice = "Check cable, switch port and adapter: the link itself is the limit."};
}

std::optional<Finding> full_processor(const Evidence& evidence, const DirectionFigures& figures,
                                      ExperimentKind kind) {
  const auto* flow = flow_of(evidence, kind, figures.direction);
  if (flow == nullptr) return std::nullopt;
  const bool writing = figures.direction == measure::Direction::write;
  if (flow->limit.limit != netbench::Limit::sender && flow->limit.limit != netbench::Limit::receiver)
    return std::nullopt;
  const bool ours = writing == (flow->limit.limit == netbench::Limit::sender);
  return Finding{
      .layer = ours ? Layer::client_cpu : Layer::nas_cpu,
      .cause = ours ? "client-cpu/small-cpu" : "nas-cpu/small-cpu",
      .confidence = Confidence::likely,
      .evidence = flow->limit.evidence,
      .advice =
          ours ? "This computer's processor can't move more: close other programs, or use a faster one."
               : "The NAS's processor can't move more: stop other services on it while copying, or expect "
                 "no more from this model."};
}

Finding path_finding(const Evidence& evidence, const DirectionFigures& figures) {
  Finding finding{.layer = Layer::path, .confidence = Confidence::likely};
  const evidence::RouteFacts* route = route_of(evidence);
  if (route != nullptr && route->wifi) {
    finding.cause = "path/wifi";
    finding.advice = "The way to the NAS leads over Wi-Fi: use a cable.";
    return finding;
  }
  if (route != nullptr && route->tunnel) {
    finding.cause = "path/vpn";
    finding.advice =
        "The way to the NAS leads through a tunnel (VPN): reach it by its local address instead.";
    return finding;
  }
  const auto* one = flow_of(evidence, ExperimentKind::tcp_one_stream, figures.direction);
  const auto plateau = netbench::recognise_plateau({.throughput = figures.of(Layer::path)->rate.value});
  if (plateau)
    finding.evidence.push_back("That is exactly what a " + plateau->name +
                               " link carries: some port on the way runs at " +
                               measure::megabits_text(plateau->line) + ".");
  if (route != nullptr && route->gateway) {
    finding.cause = "path/router-port-speed";
    finding.advice =
        "The way leads through the router " + *route->gateway +
        ": give NAS and computer addresses in one subnet on one switch, or a router with faster ports.";
  } else if (plateau) {
    finding.cause = "link/negotiated-speed";
    finding.advice =
        "Look at the speed of every port on the way, the NAS's own first: one of them runs slower than this "
        "computer's.";
  } else if (one != nullptr && one->limit.limit == netbench::Limit::congestion) {
    finding.cause = "path/packet-loss";
    finding.advice =
        "Packets get lost on the way: replace cables, try other switch ports, look at error counters.";
  } else {
    finding.advice =
        "Something between the two network cards is slower than they are: look at each switch and router "
        "port's "
        "speed on the way, and at the adapters.";
  }
  return finding;
}

std::optional<Finding> tcp_finding(const Evidence& evidence, const DirectionFigures& figures) {
  const auto* flow = flow_of(evidence, ExperimentKind::tcp_one_stream, figures.direction);
  if (flow == nullptr) return std::nullopt;
  Finding finding{.layer = Layer::tcp, .confidence = Confidence::likely, .evidence = flow->limit.evidence};
  switch (flow->limit.limit) {
    case netbench::Limit::receive_window:
      finding.cause = "tcp/window";
      finding.advice =
          "The receiver's window is too small for this round trip: raise net.ipv4.tcp_rmem (and any fixed "
          "socket buffer, such as Samba's `socket options`) at the receiving end.";
      return finding;
    case netbench::Limit::send_buffer:
      finding.cause = "tcp/socket-buffer";
      finding.advice =
          "The sender's buffer is too small for this round trip: raise net.ipv4.tcp_wmem at the sending end "
          "and remove fixed socket buffers.";
      return finding;
    case netbench::Limit::congestion:
      finding.cause = "path/packet-loss";
      finding.alternatives = {{Layer::path, "path/packet-loss"}};
      finding.advice =
          "Packets get lost on the way: replace cables, try other switch ports, look at error counters.";
      return finding;
    default:
      break;
  }
  const evidence::RouteFacts* route = route_of(evidence);
  if (route != nullptr && route->gateway) {
    finding.layer = Layer::path;
    finding.cause = "path/router-cpu";
    finding.advice =
        "The way leads through the router " + *route->gateway +
        ", which carries each connection on one core: give NAS and computer addresses in one subnet.";
    return finding;
  }
  finding.cause = "tcp/single-stream";
  finding.advice =
      "One connection is slower than several: look for a device on the way that handles each connection by "
      "itself (router, bonded links), and at socket buffers.";
  return finding;
}

bool one_stream_clearly_below(const DirectionFigures& figures) {
  const auto& one = figures.of(Layer::tcp);
  const auto& wider = figures.of(Layer::link) ? figures.of(Layer::link) : figures.of(Layer::path);
  return one && wider && one->rate.value < wider->rate.value * kClearlyBelow;
}

// The mount's own connection is subject to what limits one stream.
std::optional<Finding> same_connection_trouble(const Evidence& evidence, const DirectionFigures& figures) {
  if (!one_stream_clearly_below(figures)) return std::nullopt;
  if (figures.job()->rate.value < figures.of(Layer::tcp)->rate.value * kConnectionShare) return std::nullopt;
  auto finding = tcp_finding(evidence, figures);
  if (!finding || (finding->cause != "tcp/window" && finding->cause != "tcp/socket-buffer" &&
                   finding->cause != "path/packet-loss"))
    return std::nullopt;
  finding->confidence = Confidence::possible;
  finding->alternatives.push_back({Layer::mount, ""});
  finding->settle_by =
      "Cure the connection first, then run again: a mount that is slow by itself stays slow.";
  return finding;
}

}  // namespace

std::optional<Finding> network_finding(const Evidence& evidence, const DirectionFigures& figures,
                                       const Limit& limit) {
  switch (limit.layer) {
    case Layer::link:
      return link_finding(evidence, limit);
    case Layer::path:
      if (auto finding = full_processor(evidence, figures, ExperimentKind::tcp_four_streams)) return finding;
      return path_finding(evidence, figures);
    case Layer::tcp:
      if (auto finding = full_processor(evidence, figures, ExperimentKind::tcp_one_stream)) return finding;
      return tcp_finding(evidence, figures);
    case Layer::mount:
      return same_connection_trouble(evidence, figures);
    default:
      return std::nullopt;
  }
}

}  // namespace nasdiag::verdict
