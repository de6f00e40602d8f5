#include "recorder.hpp"

#include "tcp_info.hpp"

#include <algorithm>

namespace nasdiag::netbench {

using measure::ByteCount;
using measure::RateSample;
using measure::Seconds;

Recorder::Recorder(const Streams& streams, const RecorderOptions& options, TimePoint now)
    : options_(options),
      start_(now),
      last_(now),
      end_(now),
      next_tcp_info_(now),
      acknowledged_known_(options.tcp_info_interval.count() > 0) {
  for (const auto& stream : streams) {
    Record record;
    record.stream = stream.get();
    record.result.id = stream->id;
    records_.push_back(std::move(record));
  }
  restart(now);
}

void Recorder::restart(TimePoint now) {
  start_ = last_ = end_ = next_tcp_info_ = now;
  sent_.clear();
  received_.clear();
  for (Record& record : records_) {
    record.result.series.clear();
    record.result.tcp_info.clear();
    read_tcp_info_into(record, now, options_.tcp_info_interval.count() > 0);
    record.start_moved = static_cast<std::int64_t>(record.stream->moved.load(std::memory_order_relaxed));
    record.last_count = count(record);
    record.start_retransmits = record.last_retransmits;
  }
}

void Recorder::read_tcp_info_into(Record& record, TimePoint now, bool keep) {
  auto sample = read_tcp_info(record.stream->fd.get(), now - start_);
  if (!sample) return;
  record.last_retransmits = sample->retransmits;
  if (!sample->acknowledged) acknowledged_known_ = false;
  if (acknowledged_known_ && record.stream->role == Role::send)
    record.last_count = sample->acknowledged->bytes();
  if (keep) record.result.tcp_info.push_back(*sample);
}

std::int64_t Recorder::count(const Record& record) const {
  if (record.stream->role == Role::send && acknowledged_known_) return record.last_count;
  return static_cast<std::int64_t>(record.stream->moved.load(std::memory_order_relaxed));
}

std::int64_t Recorder::take_difference(Record& record, TimePoint now, bool keep_tcp_info) {
  const std::int64_t before = record.last_count;
  if (acknowledged_known_ && (record.stream->role == Role::send || keep_tcp_info))
    read_tcp_info_into(record, now, keep_tcp_info);
  record.last_count = count(record);
  return std::max<std::int64_t>(0, record.last_count - before);
}

void Recorder::append_sample(TimePoint now) {
  const bool keep = now >= next_tcp_info_ && options_.tcp_info_interval.count() > 0;
  if (keep) next_tcp_info_ = now + options_.tcp_info_interval - options_.sample_interval / 2;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  const RateSample shape{.start = last_ - start_, .length = now - last_, .amount = {}};
  for (Record& record : records_) {
    const std::int64_t difference = take_difference(record, now, keep);
    (record.stream->role == Role::send ? sent : received) += difference;
    record.result.series.push_back({shape.start, shape.length, ByteCount::bytes(difference)});
  }
  sent_.push_back({shape.start, shape.length, ByteCount::bytes(sent)});
  received_.push_back({shape.start, shape.length, ByteCount::bytes(received)});
  last_ = now;
}

void Recorder::sample(TimePoint now) {
  // Two calls right after each other would make a sample of nearly no length, whose rate means nothing.
  if (now - last_ >= options_.sample_interval / 2) append_sample(now);
}

void Recorder::finish(TimePoint now) {
  sample(now);
  end_ = now;
  for (Record& record : records_) {
    const auto moved = static_cast<std::int64_t>(record.stream->moved.load(std::memory_order_relaxed));
    record.moved = ByteCount::bytes(moved - record.start_moved);
    read_tcp_info_into(record, now, false);
  }
}

ByteCount Recorder::moved(Role role) const {
  ByteCount sum;
  for (const Record& record : records_) {
    if (record.stream->role == role) sum += record.moved;
  }
  return sum;
}

SeriesSource Recorder::source(Role role) const {
  if (role == Role::receive) return SeriesSource::received;
  return acknowledged_known_ ? SeriesSource::acknowledged : SeriesSource::sent;
}

std::optional<std::int64_t> Recorder::retransmits() const {
  std::optional<std::int64_t> sum;
  for (const Record& record : records_) {
    if (record.stream->role != Role::send) continue;
    sum = sum.value_or(0) + static_cast<std::int64_t>(record.last_retransmits - record.start_retransmits);
  }
  return sum;
}

std::vector<StreamResult> Recorder::take_streams() {
  std::vector<StreamResult> results;
  for (Record& record : records_) {
    StreamResult& result = record.result;
    if (record.stream->role == Role::send) {
      result.sent = record.moved;
      result.retransmits = static_cast<std::int64_t>(record.last_retransmits - record.start_retransmits);
    } else {
      result.received = record.moved;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace nasdiag::netbench
