#include "assemble.hpp"

#include "stalls.hpp"

#include <cmath>
#include <utility>

namespace nasdiag::netbench {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;
using measure::Severity;

namespace {

constexpr double kEndsAgree = 0.05;
constexpr std::size_t kMuchSilence = 8;  // samples

const StreamReport* find_report(const Results& peer, int id) {
  for (const StreamReport& report : peer.streams) {
    if (report.id == id) return &report;
  }
  return nullptr;
}

// What the peer says about each of our streams: the other half of its figures.
void add_peer_counts(DirectionResult& direction, Role our_role, const Results& peer) {
  ByteCount total;
  Seconds longest{0};
  std::optional<std::int64_t> retransmits;
  for (StreamResult& stream : direction.streams) {
    const StreamReport* report = find_report(peer, stream.id);
    if (report == nullptr) continue;
    const ByteCount bytes = ByteCount::bytes(report->bytes);
    total += bytes;
    longest = std::max(longest, Seconds(report->end_time));
    if (our_role == Role::send) {
      stream.received = bytes;
      continue;
    }
    stream.sent = bytes;
    if (report->retransmits < 0) continue;
    stream.retransmits = report->retransmits;
    retransmits = retransmits.value_or(0) + report->retransmits;
  }
  if (our_role == Role::send) {
    direction.received = total;
    direction.receiver_time = longest.count() > 0 ? longest : direction.sender_time;
  } else {
    direction.sent = total;
    direction.sender_time = longest.count() > 0 ? longest : direction.receiver_time;
    direction.retransmits = retransmits;
    direction.congestion = peer.congestion;
  }
}

// The figure: over the steady window, or over the whole run by the receiver's count where there is no window.
void judge_series(DirectionResult& direction, bool by_amount) {
  direction.change_points = measure::change_points(direction.series);
  direction.trend = measure::trend(direction.series);
  if (!by_amount)
    direction.precision = measure::precision(direction.series, measure::warm_up_end(direction.series));
  if (direction.precision && direction.source != SeriesSource::sent) {
    direction.throughput = direction.precision->mean;
  } else if (direction.receiver_time.count() > 0) {
    direction.throughput = direction.receiver_rate();
  } else {
    direction.throughput = measure::mean_rate(direction.series);
  }
}

DirectionResult make_direction(Direction way, Role our_role, ClientOutcome& outcome) {
  DirectionResult direction;
  direction.direction = way;
  for (std::size_t i = 0; i < outcome.streams.size(); ++i) {
    if (outcome.roles[i] == our_role) direction.streams.push_back(std::move(outcome.streams[i]));
  }
  if (our_role == Role::send) {
    direction.series = std::move(outcome.sent_series);
    direction.source = outcome.sent_source;
    direction.sent = outcome.sent;
    direction.sender_time = outcome.counted;
    direction.retransmits = outcome.retransmits;
    direction.congestion = outcome.congestion;
    direction.sending_method = to_string(outcome.method);
  } else {
    direction.series = std::move(outcome.received_series);
    direction.source = SeriesSource::received;
    direction.received = outcome.received;
    direction.receiver_time = outcome.counted;
  }
  if (outcome.peer) add_peer_counts(direction, our_role, *outcome.peer);
  return direction;
}

// What the receiver's kernel acknowledged and what the receiving program says it got should be one figure.
void compare_ends(const DirectionResult& direction, measure::Notes& notes) {
  if (direction.source != SeriesSource::acknowledged || direction.receiver_time.count() <= 0) return;
  const DataRate acknowledged = measure::mean_rate(direction.series);
  if (acknowledged.bits_per_second() <= 0) return;
  const double difference = direction.receiver_rate() / acknowledged - 1;
  if (std::abs(difference) < kEndsAgree) return;
  notes.push_back({.code = "ends-disagree",
                   .severity = Severity::warning,
                   .text = "The receiver counted " +
                           std::to_string(std::lround(direction.receiver_rate().megabits_per_second())) +
                           " Mbit/s, but its kernel acknowledged " +
                           std::to_string(std::lround(acknowledged.megabits_per_second())) + " Mbit/s."});
}

OwnEnd own_end(Role our_role, const ClientOutcome& outcome) {
  const std::optional<double> ours = outcome.cpu.total / 100;
  const std::optional<double> theirs =
      outcome.peer ? std::optional(outcome.peer->cpu_total / 100) : std::nullopt;
  OwnEnd own;
  own.sender_cpu = our_role == Role::send ? ours : theirs;
  own.receiver_cpu = our_role == Role::send ? theirs : ours;
  if (our_role == Role::send) own.sender_busiest_thread = outcome.busiest_sender;
  if (our_role == Role::receive) own.receiver_busiest_thread = outcome.busiest_receiver;
  own.send_buffer = ByteCount::bytes(outcome.send_buffer);
  own.receive_buffer = ByteCount::bytes(outcome.receive_buffer);
  own.local_peer = outcome.local.address() == outcome.remote.address();
  if (address_text(outcome.remote).find(':') != std::string::npos) own.version = IpVersion::v6;
  return own;
}

void note_nothing_arrived(const DirectionResult& direction, measure::Notes& notes) {
  if (direction.throughput.bits_per_second() > 0 || direction.series.size() < kMuchSilence) return;
  notes.push_back({.code = "nothing-arrived",
                   .severity = Severity::warning,
                   .text = "The connections were made, but none of the payload arrived (" +
                           std::string(to_string(direction.direction)) +
                           "): packets of full size get lost, as with an MTU that is set wrong. "
                           "`nasdiag net --path` finds the largest size that passes."});
}

std::optional<std::chrono::microseconds> probe_growth(const std::optional<RttSeries>& rtt) {
  if (!rtt) return std::nullopt;
  const auto idle = rtt->idle.quantile(0.5);
  const auto loaded = rtt->loaded.quantile(0.5);
  if (!idle || !loaded) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::microseconds>(*loaded - *idle);
}

void add_direction(TcpResult& result, Direction way, Role our_role, ClientOutcome& outcome) {
  DirectionResult direction = make_direction(way, our_role, outcome);
  judge_series(direction, result.options.amount || result.options.blocks);
  OwnEnd own = own_end(our_role, outcome);
  own.probe_growth = probe_growth(result.rtt);
  direction.limit_input = limit_input_of(direction, result.options, own);
  direction.limit = classify_limit(direction.limit_input);
  compare_ends(direction, result.notes);
  note_nothing_arrived(direction, result.notes);
  result.directions.push_back(std::move(direction));
}

}  // namespace

TcpResult assemble_result(const TcpOptions& options, ClientOutcome outcome) {
  TcpResult result;
  result.options = options;
  result.options.credentials.reset();
  result.local_address = address_text(outcome.local);
  result.local_port = outcome.local.port();
  result.remote_address = address_text(outcome.remote);
  result.remote_port = outcome.remote.port();
  result.connect_time = outcome.connect_time;
  result.block_size = ByteCount::bytes(outcome.block_size);
  result.send_buffer = ByteCount::bytes(outcome.send_buffer);
  result.receive_buffer = ByteCount::bytes(outcome.receive_buffer);
  if (!outcome.streams.empty() && !outcome.streams.front().tcp_info.empty()) {
    result.segment_size = outcome.streams.front().tcp_info.front().segment_size;
  }
  result.local_cpu = outcome.cpu;
  result.congestion = outcome.congestion;
  result.stop_reason = outcome.stop_reason;
  result.omitted = outcome.omitted;
  result.duration = outcome.counted;
  result.complete = outcome.peer.has_value();
  result.rtt = std::move(outcome.rtt);
  result.notes = std::move(outcome.notes);
  if (result.rtt) {
    for (measure::Note& note : stall_notes(*result.rtt)) result.notes.push_back(std::move(note));
  }
  if (outcome.peer) {
    result.remote_cpu = CpuUse{outcome.peer->cpu_total, outcome.peer->cpu_user, outcome.peer->cpu_system};
    result.remote_congestion = outcome.peer->congestion;
    result.server_output = outcome.peer->server_output;
  }
  if (options.flow != Flow::read) add_direction(result, Direction::write, Role::send, outcome);
  if (options.flow != Flow::write) add_direction(result, Direction::read, Role::receive, outcome);
  return result;
}

}  // namespace nasdiag::netbench
