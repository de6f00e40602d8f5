#include "diagnose/verdict/figures.hpp"

#include <diagnose/verdict/causes/result_of.hpp>
#include <measure/quantity_text.hpp>
#include <measure/steady_state.hpp>
#include <netbench/plateau.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using measure::DataRate;
using measure::Direction;

Interval interval_of(DataRate value, const std::optional<measure::Precision>& precision) {
  if (!precision) return {value, value, value};
  const double share = precision->relative();
  return {value, value * std::max(0.0, 1 - share), value * (1 + share)};
}

// Of a run too short for a precision: from its slowest third to its fastest, as one that still gathers way.
Interval interval_of_thirds(DataRate value, const measure::SampleSeries& series) {
  constexpr std::size_t kThirds = 3;
  Interval interval{value, value, value};
  if (series.size() < 2 * kThirds) return interval;
  for (std::size_t third = 0; third < kThirds; ++third) {
    measure::ByteCount moved;
    measure::Seconds time{0};
    for (std::size_t i = third * series.size() / kThirds; i < (third + 1) * series.size() / kThirds; ++i) {
      moved += series[i].amount;
      time += series[i].length;
    }
    if (time.count() <= 0) return {value, value, value};
    interval.low = std::min(interval.low, moved / time);
    interval.high = std::max(interval.high, moved / time);
  }
  return interval;
}

std::optional<Figure> link_figure(const Evidence& evidence) {
  const evidence::LinkPayload& link = evidence.link;
  if (!link.rate) return std::nullopt;
  return Figure{.rate = {*link.rate, link.low.value_or(*link.rate), link.high.value_or(*link.rate)},
                .source = Source::derived,
                .how = link.formula};
}

// Who measured it, unless this program did.
std::string how(std::string text, const Experiment& experiment) {
  if (experiment.origin.empty()) return text;
  return text.empty() ? experiment.origin : text + "; " + experiment.origin;
}

std::optional<Figure> tcp_figure(const Evidence& evidence, ExperimentKind kind, Direction direction) {
  const auto* result = result_of<netbench::TcpResult>(evidence, kind, direction);
  const netbench::DirectionResult* flow = result != nullptr ? result->find(direction) : nullptr;
  if (flow == nullptr || flow->throughput <= DataRate()) return std::nullopt;
  const int streams = result->options.streams;
  std::string text = std::to_string(streams) + (streams == 1 ? " stream" : " streams") + ", memory to memory";
  if (result->duration > measure::Seconds(0)) text += ", " + measure::duration_text(result->duration);
  return Figure{.rate = flow->precision ? interval_of(flow->throughput, flow->precision)
                                        : interval_of_thirds(flow->throughput, flow->series),
                .source = Source::measured,
                .how = how(std::move(text), *evidence.find(kind, direction))};
}

// The job's direction write reads the client's disk and writes the NAS's.
std::optional<Figure> disk_figure(const Evidence& evidence, ExperimentKind kind, Direction direction) {
  const Experiment* experiment = evidence.find(kind, direction);
  const auto* result = result_of<diskbench::DiskResult>(evidence, kind, direction);
  if (result == nullptr) return std::nullopt;
  const bool written = (direction == Direction::write) == (kind == ExperimentKind::nas_disk);
  const auto& figures = written ? result->write : result->read;
  if (!figures || figures->throughput <= DataRate()) return std::nullopt;
  std::string text = std::string(written ? "written, flush included" : "read") + " in " +
                     to_text(result->options.block_size) + " requests, " + to_string(result->engine);
  return Figure{.rate = interval_of(figures->throughput, figures->precision),
                .source = Source::measured,
                .how = experiment->origin.empty() ? text : how(written ? "written" : "read", *experiment)};
}

std::optional<Figure> transfer_figure(const Evidence& evidence, ExperimentKind kind, Direction direction) {
  const auto* result = result_of<filebench::TransferResult>(evidence, kind, direction);
  if (result == nullptr || result->rate <= DataRate()) return std::nullopt;
  const Experiment& experiment = *evidence.find(kind, direction);
  if (experiment.outcome == evidence::Outcome::failed) return std::nullopt;  // of the job, no rate is known
  Interval rate = {result->rate, result->rate, result->rate};
  if (result->runs.size() > 1) {
    for (const filebench::RunFigure& run : result->runs) {
      rate.low = std::min(rate.low, run.rate);
      rate.high = std::max(rate.high, run.rate);
    }
  } else {
    rate =
        interval_of(result->rate, measure::precision(result->samples, measure::warm_up_end(result->samples)));
  }
  std::string text = to_text(result->amount) + " in pieces of " + to_text(result->piece_size);
  text += direction == Direction::write ? ", fsync included" : ", " + std::string(to_string(result->cache));
  return Figure{.rate = rate,
                .source = Source::measured,
                .how = experiment.origin.empty() ? text : how("", experiment)};
}

void set_aside(DirectionFigures& figures, std::optional<Figure>& figure, std::string code, std::string text) {
  figures.set_aside.push_back({std::move(code), measure::Severity::void_, std::move(text)});
  figure.reset();
}

// What its own measurement found to be no figure of the mount: it came out of this computer's memory, or did
// not cross the wire.
void set_void_aside(const Evidence& evidence, DirectionFigures& figures) {
  for (const auto& [kind, figure] : {std::pair{ExperimentKind::copy, &figures.achieved},
                                     std::pair{ExperimentKind::mount_to_memory, &figures.from_memory},
                                     std::pair{ExperimentKind::mount_again, &figures.again},
                                     std::pair{ExperimentKind::mount_parallel, &figures.in_parallel}}) {
    const auto* result = result_of<filebench::TransferResult>(evidence, kind, figures.direction);
    if (!*figure || result == nullptr) continue;
    const auto void_note =
        std::find_if(result->notes.begin(), result->notes.end(),
                     [](const measure::Note& note) { return note.severity == measure::Severity::void_; });
    if (void_note != result->notes.end())
      set_aside(figures, *figure, void_note->code, void_note->text);
    else if (figures.direction == Direction::read && result->cache == filebench::CacheState::warm)
      set_aside(figures, *figure, "client-cache",
                "The read at " + to_text((*figure)->rate.value) + " came out of this computer's memory.");
  }
}

// What TCP reached after the files holds for them where it is another figure than before. A connection that
// was below the path from the start has its own reasons to vary.
void use_what_lasted(const Evidence& evidence, DirectionFigures& figures) {
  constexpr double kAnother = 0.7;
  constexpr double kSteady = 0.9;
  constexpr DataRate kFasterThanLinks = DataRate::megabits_per_second(12'000);
  const auto again = tcp_figure(evidence, ExperimentKind::tcp_again, figures.direction);
  auto& one = figures.of(Layer::tcp);
  auto& path = figures.of(Layer::path);
  if (!again || !one || (path && one->rate.value < path->rate.value * kSteady)) return;
  const DataRate before = one->rate.value;
  const DataRate after = again->rate.value;
  if (after > before * kAnother && before > after * kAnother) return;
  // Without a link between them, as between two virtual machines, it was the processors that had more to do.
  if (!figures.of(Layer::link) && std::min(before, after) > kFasterThanLinks) return;
  figures.network_change = NetworkChange{before, after};
  one = again;
  one->how += ", after the files (" + to_text(before) + " before them)";
  path = one;
}

// One direction may just miss what both carry.
std::optional<netbench::Plateau> plateau_of_either_way(const Evidence& evidence, Direction direction,
                                                       DataRate rate) {
  constexpr double kSame = 0.05;
  const auto version = ip_version(evidence);
  if (auto plateau = netbench::recognise_plateau({.throughput = rate, .version = version})) return plateau;
  const Direction back = direction == Direction::write ? Direction::read : Direction::write;
  for (const ExperimentKind kind : {ExperimentKind::tcp_four_streams, ExperimentKind::tcp_one_stream}) {
    const auto other = tcp_figure(evidence, kind, back);
    if (!other || std::abs(other->rate.value / rate - 1) > kSame) continue;
    if (auto plateau = netbench::recognise_plateau({.throughput = other->rate.value, .version = version}))
      return plateau;
  }
  return std::nullopt;
}

// An interface without a speed, as in virtual machines, has the one whose payload TCP reaches. Slower than a
// gigabit is left to be wondered at.
void derive_link(const Evidence& evidence, DirectionFigures& figures) {
  const auto& path = figures.of(Layer::path);
  const Experiment* measured = evidence.find(ExperimentKind::tcp_one_stream, figures.direction);
  if (figures.of(Layer::link) || !path || measured == nullptr || !measured->origin.empty()) return;
  const auto plateau = plateau_of_either_way(evidence, figures.direction, path->rate.value);
  if (!plateau || plateau->line < DataRate::megabits_per_second(1000) || plateau->name == "5GBASE-T") return;
  figures.of(Layer::link) =
      Figure{.rate = {plateau->payload, plateau->payload, plateau->payload},
             .source = Source::derived,
             .how = "what a " + plateau->name + " link carries; the interface doesn't tell its speed"};
}

// Of the interface that the mount's traffic goes over, where it is known.
DataRate peak_sent(const Evidence& evidence, const evidence::Observation& observation) {
  const auto& route = evidence.facts.mount_route ? evidence.facts.mount_route : evidence.facts.route;
  DataRate peak;
  for (const evidence::NicActivity& nic : observation.nics)
    if (!route || !route->interface || nic.name == *route->interface) peak = std::max(peak, nic.peak_sent);
  return peak;
}

// At its peak of a second or more, less the frames' headers. Only of a write that came near: the NAS's
// memory, too, takes the first part at any rate.
std::optional<DataRate> peak_on_the_wire(const Evidence& evidence, DataRate network) {
  constexpr double kNear = 0.65;
  constexpr double kPayload = 1448.0 / 1514;
  std::optional<DataRate> peak;
  for (const ExperimentKind kind : {ExperimentKind::copy, ExperimentKind::mount_to_memory}) {
    const Experiment* experiment = evidence.find(kind, Direction::write);
    const auto* write = result_of<filebench::TransferResult>(evidence, kind, Direction::write);
    if (write == nullptr || !experiment->observation || write->rate < network * kNear) continue;
    peak = std::max(peak.value_or(DataRate()), peak_sent(evidence, *experiment->observation) * kPayload);
  }
  return peak;
}

constexpr double kShortFlush = 0.25;

void add_rate_while_moving(const Evidence& evidence, DirectionFigures& figures) {
  const auto kind = figures.achieved ? ExperimentKind::copy : ExperimentKind::mount_to_memory;
  const auto* job = result_of<filebench::TransferResult>(evidence, kind, figures.direction);
  if (job == nullptr || figures.direction != Direction::write || !job->flush_time || !job->accepted_rate)
    return;
  const auto& network = figures.of(Layer::link) ? figures.of(Layer::link) : figures.of(Layer::path);
  // Faster than the network is only into this computer's memory.
  if (network && *job->accepted_rate > network->rate.high * kAboveLink)
    figures.wire_peak = peak_on_the_wire(evidence, network->rate.value);
  else if (*job->flush_time <= job->window * kShortFlush)
    figures.while_moving = job->accepted_rate;
}

// A rate above what the link carries did not cross the link: either it came out of a cache, or, for TCP, the
// link's speed is not what the interface says.
void set_impossible_aside(DirectionFigures& figures) {
  auto& link = figures.of(Layer::link);
  if (!link) return;
  for (const Layer layer : {Layer::path, Layer::tcp}) {
    const auto& network = figures.of(layer);
    if (!network || network->rate.low <= link->rate.high * kAboveLink) continue;
    set_aside(figures, link, "link-speed-wrong",
              "TCP carried " + to_text(network->rate.value) + ", more than the interface says it can (" +
                  to_text(link->rate.value) + "): its speed is not believed.");
    return;
  }
  for (auto* figure : {&figures.achieved, &figures.from_memory, &figures.again, &figures.in_parallel}) {
    if (!*figure || (*figure)->rate.low <= link->rate.high * kAboveLink) continue;
    set_aside(figures, *figure, "above-link",
              "The file moved at " + to_text((*figure)->rate.value) + ", more than the link carries (" +
                  to_text(link->rate.value) + "): a cache was measured, not the NAS.");
  }
}

// Given figures come from different days and tools: a file rate above what TCP reached is one of a cache. (A
// run of this program measures both within a minute, and a busy iperf3 server may well be slower than the
// mount.)
void set_faster_than_tcp_aside(const Evidence& evidence, DirectionFigures& figures) {
  constexpr double kAboveTcp = 1.15;
  const auto& tcp = figures.of(Layer::path) ? figures.of(Layer::path) : figures.of(Layer::tcp);
  if (!tcp) return;
  for (const auto& [kind, figure] : {std::pair{ExperimentKind::copy, &figures.achieved},
                                     std::pair{ExperimentKind::mount_to_memory, &figures.from_memory}}) {
    const Experiment* experiment = evidence.find(kind, figures.direction);
    if (!*figure || experiment->origin.empty() || (*figure)->rate.low <= tcp->rate.high * kAboveTcp) continue;
    set_aside(figures, *figure, "above-tcp",
              "The file moved at " + to_text((*figure)->rate.value) + ", more than TCP carries (" +
                  to_text(tcp->rate.value) + "): a cache was measured, not the NAS.");
  }
}

// What the share's disk could not deliver by itself came out of the NAS's memory, or the figure is of other
// disks: in either case it is not what limits.
void set_outrun_disk_aside(DirectionFigures& figures) {
  auto& disk = figures.of(Layer::nas_disk);
  if (!disk || !figures.job() || figures.job()->rate.low <= disk->rate.high * kAboveLink) return;
  set_aside(figures, disk, "above-nas-disk",
            "The file moved at " + to_text(figures.job()->rate.value) +
                ", faster than the figure of the NAS's disk (" + to_text(disk->rate.value) +
                "): the NAS's memory helped, or that figure is of other disks.");
}

}  // namespace

netbench::IpVersion ip_version(const Evidence& evidence) {
  const auto& route = evidence.facts.route;
  const bool v6 = route && route->address.find(':') != std::string::npos;
  return v6 ? netbench::IpVersion::v6 : netbench::IpVersion::v4;
}

DirectionFigures figures_of(const Evidence& evidence, Direction direction) {
  DirectionFigures figures;
  figures.direction = direction;
  figures.of(Layer::link) = link_figure(evidence);
  figures.of(Layer::path) = tcp_figure(evidence, ExperimentKind::tcp_four_streams, direction);
  figures.of(Layer::tcp) = tcp_figure(evidence, ExperimentKind::tcp_one_stream, direction);
  // One stream can't carry more than the path: several that did worse only got in each other's way.
  if (figures.of(Layer::path) && figures.of(Layer::tcp) &&
      figures.of(Layer::path)->rate.value < figures.of(Layer::tcp)->rate.value)
    figures.of(Layer::path) = figures.of(Layer::tcp);
  use_what_lasted(evidence, figures);
  derive_link(evidence, figures);
  figures.of(Layer::client_disk) = disk_figure(evidence, ExperimentKind::client_disk, direction);
  figures.of(Layer::nas_disk) = disk_figure(evidence, ExperimentKind::nas_disk, direction);
  figures.achieved = transfer_figure(evidence, ExperimentKind::copy, direction);
  figures.from_memory = transfer_figure(evidence, ExperimentKind::mount_to_memory, direction);
  figures.again = transfer_figure(evidence, ExperimentKind::mount_again, direction);
  figures.in_parallel = transfer_figure(evidence, ExperimentKind::mount_parallel, direction);
  set_void_aside(evidence, figures);
  set_impossible_aside(figures);
  add_rate_while_moving(evidence, figures);
  set_faster_than_tcp_aside(evidence, figures);
  set_outrun_disk_aside(figures);
  return figures;
}

}  // namespace nasdiag::verdict
