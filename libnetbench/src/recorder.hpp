#pragma once

// Reads the counters of the streams while a test runs and keeps what it saw.

#include "mover.hpp"

#include <netbench/result.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace nasdiag::netbench {

using Streams = std::vector<std::unique_ptr<DataStream>>;

struct RecorderOptions {
  std::chrono::milliseconds sample_interval{100};
  std::chrono::milliseconds tcp_info_interval{100};  // 0: only what the totals need
};

class Recorder {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // The streams must outlive the recorder. Their order is the order of the results.
  Recorder(const Streams& streams, const RecorderOptions& options, TimePoint now);

  // The counted part begins here; what was recorded before is dropped.
  void restart(TimePoint now);
  void sample(TimePoint now);
  // The counted part ends here. Counters that move on are not looked at any more.
  void finish(TimePoint now);

  measure::Seconds counted_time() const { return end_ - start_; }
  measure::ByteCount moved(Role role) const;
  // All streams of a role together, from the start of the counted part on.
  const measure::SampleSeries& series(Role role) const { return role == Role::send ? sent_ : received_; }
  SeriesSource source(Role role) const;
  // Of our sending streams together, in the counted part.
  std::optional<std::int64_t> retransmits() const;
  // One per stream, in the order of the streams: series, TCP_INFO, our count.
  std::vector<StreamResult> take_streams();

 private:
  struct Record {
    const DataStream* stream = nullptr;
    StreamResult result;
    std::int64_t start_moved = 0;
    std::int64_t last_count = 0;  // of the kind that the series is of
    std::uint64_t start_retransmits = 0;
    std::uint64_t last_retransmits = 0;
    measure::ByteCount moved;
  };

  void append_sample(TimePoint now);
  void read_tcp_info_into(Record& record, TimePoint now, bool keep);
  std::int64_t count(const Record& record) const;
  std::int64_t take_difference(Record& record, TimePoint now, bool keep_tcp_info);

  RecorderOptions options_;
  TimePoint start_;
  TimePoint last_;
  TimePoint end_;
  TimePoint next_tcp_info_;
  bool acknowledged_known_;
  std::vector<Record> records_;
  measure::SampleSeries sent_;
  measure::SampleSeries received_;
};

}  // namespace nasdiag::netbench
