#include <measure/quantity_text.hpp>
#include <netbench/limit.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nasdiag::netbench {

namespace {

using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

constexpr double kFullCore = 0.92;     // a thread that waits for nothing measures 92 % and more
constexpr double kIdleSender = 0.85;   // busy share below which the kernel often had nothing to send
constexpr double kMostlyWindow = 0.5;  // share of the time in which the window stopped the sender
constexpr double kMuchSendBuffer = 0.2;
constexpr double kLossWorthNaming = 0.0005;
constexpr double kReached = 0.93;             // of a rate that was asked for, or of a link's payload
constexpr double kMathis = 1.22;              // Mathis et al. 1997: rate = 1.22 MSS / (RTT sqrt(p))
constexpr double kMathisMargin = 2.5;         // cubic does better than the Reno that the formula is for
constexpr std::int64_t kClosedWindow = 3000;  // bytes: two segments
constexpr double kMathisShortfall = 5;        // so far below the formula, rare losses aren't the reason
constexpr double kMuchLoss = 0.01;            // timeouts, which the formula leaves out, become likely
constexpr std::chrono::microseconds kStandingQueue{200};
constexpr std::chrono::microseconds kSomeQueue{150};
constexpr std::chrono::microseconds kLongRoundTrip{1000};  // on shorter ways a window fills the line as well
constexpr double kIdleProgram = 0.5;                       // cores

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
  return text;
}

std::string milliseconds(std::chrono::microseconds time) { return measure::duration_text(Seconds(time)); }

LimitFinding finding(Limit limit, std::vector<std::string> evidence) { return {limit, std::move(evidence)}; }

// The rate of one stream that a window allows on an empty path.
std::optional<DataRate> window_rate(const std::optional<ByteCount>& window, const LimitInput& in) {
  if (!window || !in.rtt_unloaded || in.rtt_unloaded->count() == 0) return std::nullopt;
  return *window / *in.rtt_unloaded;
}

DataRate per_stream(const LimitInput& in) { return in.throughput * (1.0 / std::max(1, in.streams)); }

// Packets wait somewhere on the way: its slowest piece is full.
bool queue_stands(const LimitInput& in) {
  if (!in.rtt_unloaded || !in.rtt_loaded) return false;
  return *in.rtt_loaded > *in.rtt_unloaded * 2 && *in.rtt_loaded - *in.rtt_unloaded > kStandingQueue;
}

// On a way so long that windows matter no packet waits: it isn't full.
bool way_is_idle(const LimitInput& in) {
  if (!in.rtt_unloaded || !in.rtt_loaded || *in.rtt_unloaded < kLongRoundTrip) return false;
  return *in.rtt_loaded - *in.rtt_unloaded < kSomeQueue;
}

std::optional<LimitFinding> pacing(const LimitInput& in) {
  if (!in.asked_rate || in.throughput < *in.asked_rate * kReached) return std::nullopt;
  return finding(Limit::pacing,
                 {"The rate asked for, " + measure::to_text(*in.asked_rate) + ", is reached."});
}

std::optional<LimitFinding> sender(const LimitInput& in) {
  if (in.busy_share && *in.busy_share < kIdleSender) {
    return finding(Limit::sender,
                   {"The sender's kernel had something to send only " + percent(*in.busy_share) +
                    " of the time: the sending program delivers no faster."});
  }
  if (in.sender_busiest_thread.value_or(0) >= kFullCore) {
    return finding(Limit::sender,
                   {"The sending thread fills a core (" + percent(*in.sender_busiest_thread) + ")."});
  }
  return std::nullopt;
}

// An end whose threads we can't see: one full core for one stream, or for an old single-threaded iperf3.
bool fills_its_cores(const std::optional<double>& cores, int streams) {
  if (!cores || *cores < kFullCore) return false;
  return *cores <= 1.08 || *cores >= kFullCore * streams;
}

std::optional<LimitFinding> receiver(const LimitInput& in) {
  if (in.receiver_busiest_thread.value_or(0) >= kFullCore) {
    return finding(Limit::receiver,
                   {"The receiving thread fills a core (" + percent(*in.receiver_busiest_thread) + ")."});
  }
  if (in.smallest_receive_window && in.smallest_receive_window->bytes() < kClosedWindow &&
      in.receive_window_share.value_or(0) > 0.02) {
    return finding(Limit::receiver,
                   {"The receiver closed its window (" + measure::to_text(*in.smallest_receive_window) +
                        " at the least): its program reads too slowly.",
                    "The sender waited for it " + percent(*in.receive_window_share) + " of the time."});
  }
  if (in.receive_queue_share.value_or(0) > 0.5) {
    return finding(Limit::receiver, {"The receiver's buffer was full in " + percent(*in.receive_queue_share) +
                                     " of the samples: its program reads too slowly."});
  }
  return std::nullopt;
}

std::optional<LimitFinding> remote_cpu(const LimitInput& in) {
  if (fills_its_cores(in.receiver_cpu, in.streams) && !in.receiver_busiest_thread) {
    return finding(Limit::receiver,
                   {"The receiving program uses " + percent(*in.receiver_cpu) + " of a core."});
  }
  if (fills_its_cores(in.sender_cpu, in.streams) && !in.sender_busiest_thread) {
    return finding(Limit::sender, {"The sending program uses " + percent(*in.sender_cpu) + " of a core."});
  }
  return std::nullopt;
}

// On a short path a small window fills the line as well: it limits only while no queue stands.
std::optional<LimitFinding> receive_window(const LimitInput& in) {
  if (in.receive_window_share.value_or(1) < kMostlyWindow || queue_stands(in)) return std::nullopt;
  const auto allowed = window_rate(in.typical_receive_window, in);
  // A receiver doesn't know the share; the window that its kernel adapts is twice what it takes.
  const double least = in.receive_window_share ? 0.3 : 0.65;
  if (!allowed || per_stream(in) < *allowed * least || per_stream(in) > *allowed * 1.6) return std::nullopt;
  std::vector<std::string> evidence{"A window of " + measure::to_text(*in.typical_receive_window) +
                                    " and a round trip of " + milliseconds(*in.rtt_unloaded) + " allow " +
                                    measure::to_text(*allowed) +
                                    " per stream, and that is about what each gets."};
  if (in.receive_window_share) {
    evidence.push_back("The sender waited for the receiver's window " + percent(*in.receive_window_share) +
                       " of the time.");
  }
  return finding(Limit::receive_window, std::move(evidence));
}

std::optional<LimitFinding> send_buffer(const LimitInput& in) {
  if (queue_stands(in)) return std::nullopt;
  if (in.send_buffer_share.value_or(0) >= kMuchSendBuffer) {
    return finding(Limit::send_buffer, {"The sender waited for room in its buffer " +
                                        percent(*in.send_buffer_share) + " of the time."});
  }
  // The kernel counts its own overhead into the buffer: about half of it is payload.
  if (!in.send_buffer || in.not_sent.value_or(ByteCount::bytes(1)).bytes() > 0) return std::nullopt;
  const auto allowed = window_rate(ByteCount::bytes(in.send_buffer->bytes() / 2), in);
  if (!allowed || per_stream(in) < *allowed * 0.6 || per_stream(in) > *allowed * 2.5) return std::nullopt;
  return finding(Limit::send_buffer,
                 {"A send buffer of " + measure::to_text(*in.send_buffer) + " and a round trip of " +
                  milliseconds(*in.rtt_unloaded) + " allow about " + measure::to_text(*allowed) +
                  " per stream, and nothing waits unsent."});
}

// What a receiver sees of a sender that keeps little on the way.
std::optional<LimitFinding> small_flight(const LimitInput& in) {
  const bool receivers_view = in.receive_queue_share && !in.busy_share;
  if (!receivers_view || !way_is_idle(in) || !in.typical_receive_window) return std::nullopt;
  if (in.retransmitted_share.value_or(0) > kLossWorthNaming || in.sender_cpu.value_or(1) > kIdleProgram)
    return std::nullopt;
  const ByteCount flight = per_stream(in) * Seconds(*in.rtt_unloaded);
  if (flight * 2 > *in.typical_receive_window) return std::nullopt;
  return finding(Limit::send_buffer,
                 {"Only " + measure::to_text(flight) + " per stream are on the way at a time, though " +
                  measure::to_text(*in.typical_receive_window) +
                  " may be, and nothing queues or is lost: the sender's buffer holds no more."});
}

std::optional<LimitFinding> known_link(const LimitInput& in) {
  if (!in.link_payload || in.throughput < *in.link_payload * kReached) return std::nullopt;
  if (way_is_idle(in) && (receive_window(in) || send_buffer(in) || small_flight(in))) return std::nullopt;
  return finding(Limit::path_rate,
                 {"The link carries " + measure::to_text(*in.link_payload) + " of payload, and " +
                  percent(in.throughput / *in.link_payload) + " of it is reached."});
}

std::optional<LimitFinding> congestion(const LimitInput& in) {
  const double lost = in.retransmitted_share.value_or(0) * (1 - in.spurious_share.value_or(0));
  if (lost < kLossWorthNaming || queue_stands(in)) return std::nullopt;
  const auto rtt = in.rtt_loaded ? in.rtt_loaded : in.rtt_unloaded;
  std::vector<std::string> evidence{percent(in.retransmitted_share.value_or(0)) +
                                    " of the segments were sent again."};
  if (rtt && rtt->count() > 0 && in.segment_size) {
    const DataRate sustained = ByteCount::bytes(*in.segment_size) / *rtt * (kMathis / std::sqrt(lost));
    if (per_stream(in) > sustained * kMathisMargin)
      return std::nullopt;  // faster than such losses allow: they don't limit
    const bool timeouts = lost >= kMuchLoss || in.timeouts.value_or(0) > 0;
    if (!timeouts && per_stream(in) * kMathisShortfall < sustained) return std::nullopt;
    evidence.push_back("With that many losses and a round trip of " + milliseconds(*rtt) +
                       " a stream sustains about " + measure::to_text(sustained) + ".");
  }
  if (in.timeouts.value_or(0) > 0)
    evidence.push_back(std::to_string(*in.timeouts) + " times the sender had to wait for a timeout.");
  return finding(Limit::congestion, std::move(evidence));
}

std::optional<LimitFinding> full_path(const LimitInput& in) {
  std::vector<std::string> evidence;
  if (queue_stands(in)) {
    evidence.push_back("Under load the round trip is " + milliseconds(*in.rtt_loaded) + " against " +
                       milliseconds(*in.rtt_unloaded) + ": packets queue at a full link.");
  }
  const bool waits = in.not_sent.value_or(ByteCount()).bytes() > 0;
  if (evidence.empty() && !waits) return std::nullopt;
  if (in.busy_share) {
    evidence.push_back("The sender was ready " + percent(*in.busy_share) +
                       " of the time, and neither window nor buffer held it up.");
  }
  return finding(Limit::path_rate, std::move(evidence));
}

}  // namespace

// From what is beyond doubt to what is left over. A CPU that is full comes before the window that it lets
// close.
LimitFinding classify_limit(const LimitInput& input) {
  if (input.throughput.bits_per_second() <= 0) return {};
  for (const auto& cause : {pacing, known_link, sender, receiver, receive_window, send_buffer, small_flight,
                            congestion, remote_cpu, full_path}) {
    if (auto found = cause(input)) return *found;
  }
  return {};
}

}  // namespace nasdiag::netbench
