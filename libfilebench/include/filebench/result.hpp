#pragma once

// What was measured over a mount: plain values, raw samples included.
//
// Durable: from open() to the return of fsync() and close(). Every rate of a write is durable.
// Cold: from the server's disk. Server-warm: from the server's memory. Warm: from this machine's page cache.

#include <filebench/counters.hpp>
#include <filebench/options.hpp>
#include <measure/latency_histogram.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <measure/sample_series.hpp>
#include <measure/summary.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

enum class Outcome {
  ok,
  failed,   // an error ended it; what was moved before it counts
  hung,     // the mount stopped answering; what was moved before it counts
  stopped,  // by the user
  skipped   // not tried, because an earlier failure or the options rule it out
};

enum class CacheState { cold, server_warm, warm, unknown };

// How the cache state is known.
enum class CacheCheck { none, page_residency, wire_bytes, fresh_pages_dropped };

enum class TransferKind {
  write_from_memory,
  read_back,  // client pages dropped: server-warm or cold, see `cache`
  read_warm,  // from this machine's page cache, under its own name
  read_user_file,
  read_again,      // from the server's memory if it keeps what it reads: see ReadOptions::again
  copy_to_mount,   // local folder to mount
  copy_from_mount  // mount to local folder
};

enum class HashVerdict { match, mismatch, nothing_to_compare };

struct HashResult {
  HashKind kind = HashKind::xxh3;
  HashVerdict verdict = HashVerdict::nothing_to_compare;
  std::string digest;               // hexadecimal, of what was read (first file)
  std::optional<DataRate> ceiling;  // one core hashing the same data in memory
  bool limits_read = false;         // the hash, not the mount, set the rate
  bool operator==(const HashResult&) const = default;
};

// One run of a repeated experiment.
struct RunFigure {
  ByteCount amount;
  Seconds window{0};
  DataRate rate;
  bool operator==(const RunFigure&) const = default;
};

struct TransferResult {
  TransferKind kind = TransferKind::write_from_memory;
  measure::Direction direction = measure::Direction::write;
  Outcome outcome = Outcome::skipped;
  std::string failure;   // one sentence, unless ok
  int error_number = 0;  // errno behind a failure; 0: none

  ByteCount amount;   // moved in the run shown (the median run of several)
  Seconds window{0};  // open to fsync and close (writes), open to last byte (reads)
  DataRate rate;      // amount / window. Writes: durable
  // Writes: until the last write() had returned, and what fsync and close took after it.
  std::optional<Seconds> accepted_after;
  std::optional<Seconds> flush_time;
  std::optional<DataRate> accepted_rate;  // what a progress bar shows

  ByteCount piece_size;
  std::size_t files = 1;
  std::optional<CopyMode> copy_mode;
  ReadPath read_path = ReadPath::buffered;
  CacheState cache = CacheState::unknown;  // reads, and the source of copies
  CacheCheck cache_check = CacheCheck::none;
  std::optional<HashResult> hash;

  measure::SampleSeries samples;  // every 100 ms, of the run shown
  std::vector<RunFigure> runs;    // each run, in order
  measure::Summary run_rates;     // of the runs' rates, in bits per second
  std::optional<double>
      change_over_runs;  // last against first by the slope over 3 or more runs; -0.2: a fifth slower
  std::optional<MountCounters> counters;
  measure::Notes notes;

  bool operator==(const TransferResult&) const = default;
};

// Time per request against its size, one in flight.
struct RequestPoint {
  ByteCount size;
  std::size_t in_flight = 1;
  std::size_t requests = 0;
  Seconds mean_time{0};  // per request
  Seconds median_time{0};
  Seconds p99_time{0};
  DataRate rate;
  bool operator==(const RequestPoint&) const = default;
};

struct SweepResult {
  measure::Direction direction = measure::Direction::read;
  Outcome outcome = Outcome::skipped;
  std::string failure;
  int error_number = 0;
  ReadPath path = ReadPath::direct;  // buffered where the mount refuses O_DIRECT
  std::vector<RequestPoint> by_size;
  std::vector<RequestPoint> by_in_flight;
  // time = latency + size / bandwidth, fitted over by_size.
  std::optional<Seconds> latency;
  std::optional<DataRate> bandwidth;
  measure::Notes notes;
  bool operator==(const SweepResult&) const = default;
};

enum class FileOperation { create, stat, list, read, remove, commit };

struct OperationFigures {
  FileOperation operation = FileOperation::create;
  std::size_t count = 0;
  Seconds window{0};
  measure::OpRate rate;
  measure::LatencyHistogram latency;
  bool operator==(const OperationFigures&) const = default;
};

struct SmallFilesResult {
  Outcome outcome = Outcome::skipped;
  std::string failure;
  int error_number = 0;
  std::size_t files = 0;
  ByteCount file_size;
  std::size_t threads = 1;
  bool fsync = false;
  std::vector<OperationFigures> operations;
  std::optional<MountCounters> counters;
  measure::Notes notes;

  const OperationFigures* find(FileOperation operation) const;
  bool operator==(const SmallFilesResult&) const = default;
};

struct ListingResult {
  Outcome outcome = Outcome::skipped;
  std::string failure;
  int error_number = 0;
  std::size_t entries = 0;
  Seconds names_time{0};       // reading all names
  Seconds attributes_time{0};  // then asking for the attributes of each, as ls -l does
  std::optional<MountCounters> counters;
  measure::Notes notes;
  bool operator==(const ListingResult&) const = default;
};

struct CommitResult {
  Outcome outcome = Outcome::skipped;
  std::string failure;
  int error_number = 0;
  OperationFigures commits;
  std::optional<MountCounters> counters;
  measure::Notes notes;
  bool operator==(const CommitResult&) const = default;
};

std::string_view to_string(Outcome outcome);
std::string_view to_string(CacheState state);
std::string_view to_string(CacheCheck check);
std::string_view to_string(TransferKind kind);
std::string_view to_string(HashKind kind);
std::string_view to_string(HashVerdict verdict);
std::string_view to_string(FileOperation operation);
std::string_view to_string(CopyMode mode);
std::string_view to_string(ReadPath path);

}  // namespace nasdiag::filebench
