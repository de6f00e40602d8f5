#include <diagnose/formats/fio_evidence.hpp>
#include <diagnose/formats/pasted_evidence.hpp>
#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>
#include <measure/steady_state.hpp>
#include <measure/trend.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

namespace nasdiag::formats {

namespace {

using evidence::Evidence;
using evidence::ExperimentKind;
using measure::Direction;
using measure::Severity;

bool has_note(const PastedFigure& figure, std::string_view code) {
  return std::any_of(figure.notes.begin(), figure.notes.end(),
                     [&](const auto& note) { return note.code == code; });
}

std::string where(const PastedFigure& figure) {
  const std::string line = "line " + std::to_string(figure.line);
  return figure.source.empty() ? line : figure.source + ", " + line;
}

std::string name_of(const PastedFigure& figure) {
  std::string name = std::string("The ") + to_string(figure.tool) + " figure of " + where(figure);
  if (figure.rate) name += ", " + to_text(*figure.rate) + ",";
  return name;
}

void leave_out(const PastedFigure& figure, std::string code, const std::string& why, Evidence& evidence) {
  evidence.notes.push_back({std::move(code), Severity::warning, name_of(figure) + " was left out: " + why});
}

netbench::TcpResult tcp_result(const PastedFigure& figure) {
  netbench::DirectionResult flow;
  flow.direction = *figure.direction;
  flow.throughput = *figure.rate;
  flow.series = figure.samples;
  flow.precision = measure::precision(figure.samples, measure::warm_up_end(figure.samples));
  flow.change_points = measure::change_points(figure.samples);
  flow.trend = measure::trend(figure.samples);
  flow.sent = flow.received = figure.amount.value_or(measure::ByteCount());
  flow.sender_time = flow.receiver_time = figure.duration.value_or(measure::Seconds(0));
  flow.retransmits = figure.retransmits;

  netbench::TcpResult result;
  result.options.streams = figure.streams;
  result.remote_address = figure.peer;
  result.send_buffer = figure.window.value_or(measure::ByteCount());
  result.duration = figure.duration.value_or(measure::Seconds(0));
  result.complete = !has_note(figure, "end-missing");
  result.directions = {flow};
  result.notes = figure.notes;
  return result;
}

diskbench::DiskResult disk_result(const PastedFigure& figure) {
  diskbench::DirectionResult way;
  way.throughput = way.burst = *figure.rate;
  way.bytes = figure.amount.value_or(measure::ByteCount());
  diskbench::DiskResult result;
  if (figure.request_size) result.options.block_size = *figure.request_size;
  result.window = figure.duration.value_or(measure::Seconds(0));
  result.notes = figure.notes;
  (*figure.direction == Direction::read ? result.read : result.write) = way;
  return result;
}

filebench::TransferResult transfer_result(const PastedFigure& figure, bool is_copy) {
  using filebench::TransferKind;
  const bool writes = *figure.direction == Direction::write;
  filebench::TransferResult result;
  result.kind = is_copy ? (writes ? TransferKind::copy_to_mount : TransferKind::copy_from_mount)
                        : (writes ? TransferKind::write_from_memory : TransferKind::read_user_file);
  result.direction = *figure.direction;
  result.outcome = filebench::Outcome::ok;
  result.amount = figure.amount.value_or(measure::ByteCount());
  result.window = figure.duration.value_or(measure::Seconds(0));
  result.rate = *figure.rate;
  if (figure.request_size) result.piece_size = *figure.request_size;
  result.notes = figure.notes;
  return result;
}

// The direction of the job that a figure of the client's disk belongs to: writing to the NAS reads it.
Direction job_of_client_disk(Direction direction) {
  return direction == Direction::read ? Direction::write : Direction::read;
}

// Of the machine that the iperf client did not run on.
bool is_of_the_nas(const PastedFigure& figure, const PastedText& text) {
  if (figure.on_nas) return true;
  if (!figure.host.empty())
    return std::any_of(text.figures.begin(), text.figures.end(), [&](const PastedFigure& other) {
      return other.subject == PastedSubject::tcp && !other.host.empty() && other.host != figure.host;
    });
  return place_of(figure.path) == Place::nas;
}

bool is_of_a_share(const PastedFigure& figure) {
  return figure.host.empty() && !figure.on_nas && place_of(figure.path) == Place::share;
}

struct Placed {
  ExperimentKind kind;
  Direction direction;
  evidence::ExperimentResult result;
};

Placed placed_disk(const PastedFigure& figure, const PastedText& text) {
  if (is_of_the_nas(figure, text)) return {ExperimentKind::nas_disk, *figure.direction, disk_result(figure)};
  if (is_of_a_share(figure))
    return {ExperimentKind::mount_to_memory, *figure.direction, transfer_result(figure, false)};
  return {ExperimentKind::client_disk, job_of_client_disk(*figure.direction), disk_result(figure)};
}

Placed placed(const PastedFigure& figure, const PastedText& text) {
  if (figure.subject == PastedSubject::tcp)
    return {figure.streams > 1 ? ExperimentKind::tcp_four_streams : ExperimentKind::tcp_one_stream,
            *figure.direction, tcp_result(figure)};
  const bool local_checksum = figure.tool == PastedTool::checksum && place_of(figure.path) == Place::client;
  if (figure.subject == PastedSubject::disk || local_checksum) return placed_disk(figure, text);
  const bool is_copy = figure.tool != PastedTool::dd && figure.tool != PastedTool::checksum;
  return {is_copy ? ExperimentKind::copy : ExperimentKind::mount_to_memory, *figure.direction,
          transfer_result(figure, is_copy)};
}

bool is_bound_by_its_hash(const PastedFigure& figure) {
  constexpr double kNearlyAll = 0.85;
  return figure.tool == PastedTool::checksum && figure.processor_time && figure.duration &&
         figure.processor_time->count() >= kNearlyAll * figure.duration->count();
}

// Nothing if the figure can be an experiment.
std::optional<std::pair<std::string, std::string>> reason_to_leave_out(const PastedFigure& figure) {
  if (has_note(figure, "client-cache"))
    return std::pair("client-cache", "it came out of the client's memory.");
  if (is_bound_by_its_hash(figure))
    return std::pair("hash-bound", "the checksum itself kept a core busy, so the disk may be faster.");
  if (!figure.rate) return std::pair("no-rate", "it is a time without a size.");
  if (figure.subject == PastedSubject::interface)
    return std::pair("counter", "it counts an interface of either end.");
  if (!figure.direction) return std::pair("direction-unknown", "which way the data went isn't known.");
  if (has_note(figure, "udp-target-rate"))
    return std::pair("udp-target-rate", "UDP sends at the rate it is told to.");
  if (has_note(figure, "before-flush"))
    return std::pair("before-flush",
                     "part of it was still in the client's memory, so it is only an upper bound.");
  if (figure.tool == PastedTool::scp || figure.tool == PastedTool::smbclient)
    return std::pair("not-the-mount", "the program speaks to the NAS itself and doesn't use the mount.");
  return std::nullopt;
}

void add_experiment(ExperimentKind kind, Direction direction, evidence::ExperimentResult result,
                    const PastedFigure& figure, Evidence& evidence) {
  evidence.experiments.push_back(
      {.kind = kind,
       .direction = direction,
       .outcome = evidence::Outcome::ok,
       .origin = std::string("pasted ") + to_string(figure.tool) + ", " + where(figure),
       .took = figure.duration.value_or(measure::Seconds(0)),
       .result = std::move(result)});
}

// A time without a size, of a file whose size another line of the text tells.
void complete_from_sizes(std::vector<PastedFigure>& figures) {
  std::map<std::string, measure::ByteCount> sizes;
  const auto name = [](const PastedFigure& figure) {
    return std::filesystem::path(figure.path).filename().string();
  };
  for (const PastedFigure& figure : figures)
    if (figure.amount && figure.subject == PastedSubject::file && !name(figure).empty())
      sizes.emplace(name(figure), *figure.amount);
  for (PastedFigure& figure : figures) {
    const auto size = sizes.find(name(figure));
    if (figure.rate || !figure.duration || size == sizes.end()) continue;
    figure.amount = size->second;
    figure.rate = size->second / *figure.duration;
  }
}

bool is_one_stream_of_a_window(const PastedFigure& figure, Direction direction) {
  return figure.subject == PastedSubject::tcp && figure.streams == 1 && figure.window && figure.rate &&
         figure.direction == direction;
}

// The same run with several windows: each is an experiment of its own, and the best of them is what one
// stream can do.
void add_window_sweep(const std::vector<PastedFigure>& figures, Direction direction, Evidence& evidence) {
  std::map<measure::ByteCount, const PastedFigure*> by_window;
  for (const PastedFigure& figure : figures)
    if (is_one_stream_of_a_window(figure, direction)) by_window.emplace(*figure.window, &figure);
  if (by_window.size() < 2) return;
  const PastedFigure* best = by_window.begin()->second;
  for (const auto& [window, figure] : by_window) {
    add_experiment(ExperimentKind::tcp_window, direction, tcp_result(*figure), *figure, evidence);
    if (*figure->rate > *best->rate) best = figure;
  }
  if (evidence.find(ExperimentKind::tcp_one_stream, direction) == nullptr)
    add_experiment(ExperimentKind::tcp_one_stream, direction, tcp_result(*best), *best, evidence);
}

// Whether several streams reach more than one doesn't depend on the direction: a text that contradicts itself
// in that counts for the way of the other run.
void give_direction(std::vector<PastedFigure>& figures, Evidence& evidence) {
  for (PastedFigure& figure : figures) {
    if (figure.subject != PastedSubject::tcp || figure.direction) continue;
    const auto other = std::find_if(figures.begin(), figures.end(), [&](const PastedFigure& one) {
      return one.subject == PastedSubject::tcp && one.direction && (one.streams > 1) != (figure.streams > 1);
    });
    if (other == figures.end()) continue;
    figure.direction = other->direction;
    evidence.notes.push_back({"direction-assumed", Severity::warning,
                              name_of(figure) +
                                  " doesn't tell which way the data went; it is compared with " +
                                  where(*other) + " as if it were the same way."});
  }
}

// Networks of homes and small offices are of 254 addresses or fewer: other addresses are behind a router.
bool in_one_network(const std::string& a, const std::string& b) {
  return a.substr(0, a.rfind('.')) == b.substr(0, b.rfind('.'));
}

bool is_ipv4(const std::string& address) {
  return std::count(address.begin(), address.end(), '.') == 3 &&
         address.find_first_not_of("0123456789.") == std::string::npos;
}

void add_route(const std::vector<PastedFigure>& figures, Evidence& evidence) {
  if (evidence.facts.route) return;
  for (const PastedFigure& figure : figures) {
    // 169.254/16 is one network whatever the third number.
    if (!is_ipv4(figure.local_address) || !is_ipv4(figure.peer_address) ||
        figure.local_address.starts_with("169.254."))
      continue;
    evidence::RouteFacts route{.server = figure.peer_address, .address = figure.peer_address};
    route.source = figure.local_address;
    if (!in_one_network(figure.local_address, figure.peer_address)) route.gateway = "";
    evidence.facts.route = route;
    return;
  }
}

void add_processors(const std::vector<PastedProcessors>& processors, Evidence& evidence) {
  constexpr double kMostly = 60;
  for (const PastedProcessors& picture : processors) {
    const bool forwarding = picture.soft_interrupt_percent >= kMostly;
    evidence.notes.push_back(
        {forwarding ? "softirq-full" : "processors", Severity::warning,
         "The picture of a machine's processors in line " + std::to_string(picture.line) + " shows " +
             std::to_string(std::lround(picture.soft_interrupt_percent)) +
             " % of their time in network interrupts and " +
             std::to_string(std::lround(picture.idle_percent)) + " % idle; which machine it is isn't said."});
  }
}

}  // namespace

void add_pasted_figures(const PastedText& text, Evidence& evidence) {
  std::vector<PastedFigure> figures = text.figures;
  complete_from_sizes(figures);
  give_direction(figures, evidence);
  for (const Direction direction : {Direction::write, Direction::read})
    add_window_sweep(figures, direction, evidence);
  const bool swept = evidence.find(ExperimentKind::tcp_window, Direction::write) != nullptr ||
                     evidence.find(ExperimentKind::tcp_window, Direction::read) != nullptr;
  for (const PastedFigure& figure : figures) {
    if (const auto reason = reason_to_leave_out(figure)) {
      leave_out(figure, reason->first, reason->second, evidence);
      continue;
    }
    if (swept && is_one_stream_of_a_window(figure, *figure.direction)) continue;
    Placed where = placed(figure, text);
    if (evidence.find(where.kind, where.direction) != nullptr)
      leave_out(figure, "second-figure", "there is one of its kind already.", evidence);
    else
      add_experiment(where.kind, where.direction, std::move(where.result), figure, evidence);
  }
  add_route(figures, evidence);
  add_processors(text.processors, evidence);
}

}  // namespace nasdiag::formats
