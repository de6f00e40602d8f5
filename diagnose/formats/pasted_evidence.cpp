#include <diagnose/formats/pasted_evidence.hpp>
#include <measure/change_point.hpp>
#include <measure/quantity_text.hpp>
#include <measure/steady_state.hpp>
#include <measure/trend.hpp>

#include <algorithm>
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

std::string name_of(const PastedFigure& figure) {
  std::string name =
      std::string("The ") + to_string(figure.tool) + " figure of line " + std::to_string(figure.line);
  if (figure.rate) name += ", " + to_text(*figure.rate) + ",";
  return name;
}

void leave_out(const PastedFigure& figure, std::string code, const std::string& why, Evidence& evidence) {
  evidence.notes.push_back({std::move(code), Severity::info, name_of(figure) + " was left out: " + why});
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

struct Placed {
  ExperimentKind kind;
  Direction direction;
  evidence::ExperimentResult result;
};

Placed placed(const PastedFigure& figure) {
  if (figure.subject == PastedSubject::tcp)
    return {figure.streams > 1 ? ExperimentKind::tcp_four_streams : ExperimentKind::tcp_one_stream,
            *figure.direction, tcp_result(figure)};
  if (figure.subject == PastedSubject::disk)
    return {ExperimentKind::client_disk, job_of_client_disk(*figure.direction), disk_result(figure)};
  const bool is_copy = figure.tool != PastedTool::dd && figure.tool != PastedTool::checksum;
  return {is_copy ? ExperimentKind::copy : ExperimentKind::mount_to_memory, *figure.direction,
          transfer_result(figure, is_copy)};
}

// Of the machine that the iperf client did not run on.
bool is_of_the_nas(const PastedFigure& figure, const PastedText& text) {
  return figure.subject == PastedSubject::disk && !figure.host.empty() &&
         std::any_of(text.figures.begin(), text.figures.end(), [&](const PastedFigure& other) {
           return other.subject == PastedSubject::tcp && !other.host.empty() && other.host != figure.host;
         });
}

// Nothing if the figure can be an experiment.
std::optional<std::pair<std::string, std::string>> reason_to_leave_out(const PastedFigure& figure,
                                                                       const PastedText& text) {
  if (!figure.rate) return std::pair("no-rate", "it is a time without a size.");
  if (figure.subject == PastedSubject::interface)
    return std::pair("counter", "it counts an interface of either end.");
  if (!figure.direction) return std::pair("direction-unknown", "which way the data went isn't known.");
  if (has_note(figure, "udp-target-rate"))
    return std::pair("udp-target-rate", "UDP sends at the rate it is told to.");
  if (has_note(figure, "client-cache"))
    return std::pair("client-cache", "it came out of the client's memory.");
  if (has_note(figure, "before-flush"))
    return std::pair("before-flush",
                     "part of it was still in the client's memory, so it is only an upper bound.");
  if (figure.tool == PastedTool::scp || figure.tool == PastedTool::smbclient)
    return std::pair("not-the-mount", "the program speaks to the NAS itself and doesn't use the mount.");
  if (is_of_the_nas(figure, text))
    return std::pair("nas-disk", "it is of " + figure.host + "'s own disk, which is not compared yet.");
  return std::nullopt;
}

}  // namespace

void add_pasted_figures(const PastedText& text, Evidence& evidence) {
  for (const PastedFigure& figure : text.figures) {
    if (const auto reason = reason_to_leave_out(figure, text)) {
      leave_out(figure, reason->first, reason->second, evidence);
      continue;
    }
    Placed where = placed(figure);
    if (evidence.find(where.kind, where.direction) != nullptr) {
      leave_out(figure, "second-figure", "there is one of its kind already.", evidence);
      continue;
    }
    evidence.experiments.push_back({.kind = where.kind,
                                    .direction = where.direction,
                                    .outcome = evidence::Outcome::ok,
                                    .took = figure.duration.value_or(measure::Seconds(0)),
                                    .result = std::move(where.result)});
  }
}

}  // namespace nasdiag::formats
