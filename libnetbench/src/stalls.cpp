#include "stalls.hpp"

#include <string>

namespace nasdiag::netbench {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPrompt{10};     // medians above it leave no room for a gap before the first timer
constexpr std::uint64_t kFewest = 3;    // one may be chance
constexpr milliseconds kGapBegins{18};  // a queue fills this range as well, a timer doesn't

struct Timer {
  const char* code;
  milliseconds from;
  milliseconds to;
  const char* meaning;
};

constexpr Timer kTimers[] = {
    {"stalls-40ms", milliseconds(38), milliseconds(60),
     "about 40 ms, the time of a delayed acknowledgement: one end sends small pieces without TCP_NODELAY"},
    {"stalls-200ms", milliseconds(190), milliseconds(330),
     "about 200 ms, the time of a retransmission timeout: small packets are lost on the way"}};

std::uint64_t count_between(const RttSeries& rtt, milliseconds from, milliseconds to) {
  std::uint64_t count = 0;
  for (const measure::LatencyHistogram* times : {&rtt.idle, &rtt.loaded}) {
    for (const auto& bucket : times->non_empty_buckets()) {
      if (bucket.value >= from && bucket.value < to) count += bucket.count;
    }
  }
  return count;
}

bool prompt(const measure::LatencyHistogram& times) {
  const auto median = times.quantile(0.5);
  return !median || *median < kPrompt;
}

}  // namespace

measure::Notes stall_notes(const RttSeries& rtt) {
  measure::Notes notes;
  if (!prompt(rtt.idle) || !prompt(rtt.loaded)) return notes;
  for (const Timer& timer : kTimers) {
    const std::uint64_t stalled = count_between(rtt, timer.from, timer.to);
    const std::uint64_t before = count_between(rtt, kGapBegins, kTimers[0].from);
    if (stalled < kFewest || before * 2 > stalled) continue;
    notes.push_back(
        {.code = timer.code,
         .severity = measure::Severity::warning,
         .text = std::to_string(stalled) + " of " + std::to_string(rtt.idle.count() + rtt.loaded.count()) +
                 " small requests beside the streams were answered only after " + timer.meaning + "."});
  }
  return notes;
}

}  // namespace nasdiag::netbench
