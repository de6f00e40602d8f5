#include "assemble.hpp"

#include <measure/summary.hpp>
#include <netbench/plateau.hpp>

#include <algorithm>
#include <functional>

namespace nasdiag::netbench {

using measure::ByteCount;
using measure::Seconds;
using std::chrono::microseconds;

namespace {

constexpr Seconds kStartUp{0.3};              // windows and buffers still grow
constexpr microseconds kReceiverClock{1000};  // the step of a receiver's estimate
constexpr Seconds kShortest{0.5};             // the kernel counts its times in ticks of 4 ms

// The samples of a stream after its start-up.
std::vector<TcpInfoSample> settled(const StreamResult& stream) {
  std::vector<TcpInfoSample> samples;
  for (const TcpInfoSample& sample : stream.tcp_info) {
    if (sample.time >= kStartUp) samples.push_back(sample);
  }
  return samples;
}

using Value = std::function<std::optional<double>(const TcpInfoSample&)>;

std::vector<double> values(const std::vector<TcpInfoSample>& samples, const Value& value) {
  std::vector<double> all;
  for (const TcpInfoSample& sample : samples) {
    if (const auto number = value(sample)) all.push_back(*number);
  }
  return all;
}

std::optional<double> microseconds_of(const std::optional<microseconds>& time) {
  return time ? std::optional(static_cast<double>(time->count())) : std::nullopt;
}

std::optional<double> bytes_of(const std::optional<ByteCount>& amount) {
  return amount ? std::optional(static_cast<double>(amount->bytes())) : std::nullopt;
}

std::optional<double> number_of(const std::optional<std::uint64_t>& number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

// Growth of a counter over the samples of all streams.
std::optional<double> growth(const std::vector<std::vector<TcpInfoSample>>& streams, const Value& value) {
  std::optional<double> sum;
  for (const auto& samples : streams) {
    if (samples.size() < 2) continue;
    const auto first = value(samples.front());
    const auto last = value(samples.back());
    if (first && last) sum = sum.value_or(0) + *last - *first;
  }
  return sum;
}

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return std::clamp(*part / *whole, 0.0, 1.0);
}

class InputBuilder {
 public:
  InputBuilder(const DirectionResult& direction, LimitInput& input) : direction_(direction), input_(input) {
    for (const StreamResult& stream : direction.streams) {
      streams_.push_back(settled(stream));
      everything_.insert(everything_.end(), streams_.back().begin(), streams_.back().end());
    }
  }

  void add_round_trips() {
    microseconds smallest{0};
    for (const StreamResult& stream : direction_.streams) {
      for (const TcpInfoSample& sample : stream.tcp_info) {
        const microseconds seen = sample.min_rtt.count() > 0 ? sample.min_rtt : sample.rtt;
        if (seen.count() > 0 && (smallest.count() == 0 || seen < smallest)) smallest = seen;
      }
    }
    if (smallest.count() > 0) input_.rtt_unloaded = smallest;
    if (!everything_.empty()) input_.segment_size = everything_.back().segment_size;
  }

  void add_sender_view() {
    const Value busy = [](const TcpInfoSample& s) { return microseconds_of(s.busy); };
    const Value clock = [](const TcpInfoSample& s) { return std::optional(s.time.count() * 1e6); };
    const auto busy_time = growth(streams_, busy);
    const auto elapsed = growth(streams_, clock);
    if (elapsed.value_or(0) >= kShortest.count() * 1e6) {
      input_.busy_share = ratio(busy_time, elapsed);
      input_.receive_window_share = ratio(
          growth(streams_, [](const TcpInfoSample& s) { return microseconds_of(s.receive_window_limited); }),
          busy_time);
      input_.send_buffer_share = ratio(
          growth(streams_, [](const TcpInfoSample& s) { return microseconds_of(s.send_buffer_limited); }),
          busy_time);
    }
    const auto again = growth(
        streams_, [](const TcpInfoSample& s) { return std::optional(static_cast<double>(s.retransmits)); });
    input_.retransmitted_share =
        ratio(again, growth(streams_, [](const TcpInfoSample& s) { return number_of(s.segments_sent); }));
    input_.spurious_share = ratio(
        growth(streams_, [](const TcpInfoSample& s) { return number_of(s.spurious_retransmits); }), again);
    if (const auto timeouts =
            growth(streams_, [](const TcpInfoSample& s) { return number_of(s.timeouts); })) {
      input_.timeouts = static_cast<std::uint64_t>(*timeouts);
    }
    if (const auto rtt = median([](const TcpInfoSample& s) { return microseconds_of(s.rtt); })) {
      input_.rtt_loaded = microseconds(static_cast<std::int64_t>(*rtt));
    }
    add_windows();
  }

  // All that our end sees when the peer sends.
  void add_receiver_view(const OwnEnd& own) {
    input_.typical_receive_window =
        median_bytes([](const TcpInfoSample& s) { return bytes_of(s.own_window); });
    add_loaded_round_trip(own.probe_growth);
    add_retransmits();
    add_receive_queue(own.receive_buffer);
  }

 private:
  // By the receiver's own estimate, or as much longer than unloaded as the probe's became.
  void add_loaded_round_trip(std::optional<microseconds> probe_growth) {
    if (!input_.rtt_unloaded) return;
    if (probe_growth) input_.rtt_loaded = *input_.rtt_unloaded + std::max(microseconds(0), *probe_growth);
    const auto estimate = median([](const TcpInfoSample& s) { return microseconds_of(s.receiver_rtt); });
    if (!estimate) return;
    const microseconds least = microseconds(static_cast<std::int64_t>(*estimate)) - kReceiverClock;
    input_.rtt_loaded = std::max({*input_.rtt_unloaded, least, input_.rtt_loaded.value_or(least)});
  }

  void add_retransmits() {
    if (direction_.retransmits && direction_.received.bytes() > 0 && !everything_.empty()) {
      const double segment = std::max(1U, everything_.back().receive_segment_size);
      const double segments = static_cast<double>(direction_.received.bytes()) / segment;
      input_.retransmitted_share =
          std::clamp(static_cast<double>(*direction_.retransmits) / segments, 0.0, 1.0);
    }
  }

  void add_receive_queue(ByteCount receive_buffer) {
    std::size_t known = 0;
    std::size_t full = 0;
    for (const TcpInfoSample& sample : everything_) {
      if (!sample.receive_queue) continue;
      ++known;
      if (sample.receive_queue->bytes() > receive_buffer.bytes() * 3 / 8) ++full;  // half of it is overhead
    }
    if (known > 0) input_.receive_queue_share = static_cast<double>(full) / static_cast<double>(known);
  }

  std::optional<double> median(const Value& value) const {
    const std::vector<double> all = values(everything_, value);
    return all.empty() ? std::nullopt : std::optional(measure::summarize(all).median);
  }
  std::optional<ByteCount> median_bytes(const Value& value) const {
    const auto number = median(value);
    return number ? std::optional(ByteCount::bytes(static_cast<std::int64_t>(*number))) : std::nullopt;
  }

  void add_windows() {
    const Value window = [](const TcpInfoSample& s) { return bytes_of(s.peer_window); };
    input_.typical_receive_window = median_bytes(window);
    const std::vector<double> windows = values(everything_, window);
    if (!windows.empty()) {
      input_.smallest_receive_window =
          ByteCount::bytes(static_cast<std::int64_t>(*std::min_element(windows.begin(), windows.end())));
    }
    input_.not_sent = median_bytes([](const TcpInfoSample& s) { return bytes_of(s.not_sent); });
    input_.in_flight_window = median_bytes([](const TcpInfoSample& s) {
      return std::optional(static_cast<double>(s.congestion_window) * static_cast<double>(s.segment_size));
    });
  }

  const DirectionResult& direction_;
  LimitInput& input_;
  std::vector<std::vector<TcpInfoSample>> streams_;
  std::vector<TcpInfoSample> everything_;
};

int mtu_of(const DirectionResult& direction) {
  for (const StreamResult& stream : direction.streams) {
    if (!stream.tcp_info.empty() && stream.tcp_info.back().path_mtu > 0)
      return static_cast<int>(stream.tcp_info.back().path_mtu);
  }
  return 1500;
}

}  // namespace

LimitInput limit_input_of(const DirectionResult& direction, const TcpOptions& options, const OwnEnd& own) {
  LimitInput input;
  input.throughput = direction.throughput;
  input.streams = options.streams;
  if (options.rate) input.asked_rate = *options.rate * options.streams;
  input.sender_cpu = own.sender_cpu;
  input.receiver_cpu = own.receiver_cpu;
  input.sender_busiest_thread = own.sender_busiest_thread;
  input.receiver_busiest_thread = own.receiver_busiest_thread;
  InputBuilder builder(direction, input);
  builder.add_round_trips();
  if (direction.source == SeriesSource::received) {
    builder.add_receiver_view(own);
    if (options.window) input.typical_receive_window = *options.window;
  } else {
    builder.add_sender_view();
    input.send_buffer = own.send_buffer;
  }
  const auto plateau = recognise_plateau({.throughput = direction.throughput,
                                          .mtu = mtu_of(direction),
                                          .version = own.version,
                                          .retransmitted_share = input.retransmitted_share,
                                          .with_more_streams = {}});
  if (plateau && !own.local_peer) input.link_payload = plateau->payload;
  return input;
}

}  // namespace nasdiag::netbench
