#pragma once

// What was measured. Plain values; what could not be read is absent, never zero.

#include <diskbench/block_device.hpp>
#include <diskbench/options.hpp>
#include <measure/change_point.hpp>
#include <measure/latency_histogram.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <measure/sample_series.hpp>
#include <measure/steady_state.hpp>
#include <measure/trend.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace nasdiag::diskbench {

enum class Engine { io_uring, blocking, null };
enum class CachePath {
  direct,   // O_DIRECT
  buffered  // through the page cache, which was emptied of the file before reading
};

enum class StopReason {
  runtime,    // the whole runtime
  precision,  // the figure was known well enough
  once,       // every block of the regions done
  bytes,      // byte_limit reached
  stopped,    // by the stop token
  no_space,   // the file system became full; the figures are those until then
  error,      // too many requests failed
  stuck       // a request did not come back within stuck_after; the file may still be there
};

// One direction of one workload. Counted is what completed inside the window.
struct DirectionResult {
  measure::SampleSeries samples;  // per 100 ms
  std::uint64_t operations = 0;
  measure::ByteCount bytes;
  // Reads: bytes over the window. Writes: bytes over the window and the flush that follows, so durable;
  // with end_flush off and no other sync it is the same as burst and not durable.
  measure::DataRate throughput;
  measure::DataRate burst;                      // bytes over the window without the flush at its end
  measure::OpRate iops;                         // operations over the same time as throughput
  measure::LatencyHistogram latency;            // submission to completion
  measure::LatencyHistogram flush_latency;      // of fsync and fdatasync inside the window, the last one too
  std::optional<measure::Precision> precision;  // of the steady part of the samples
  std::vector<measure::ChangePoint> change_points;
  std::optional<measure::Trend> trend;
  bool operator==(const DirectionResult&) const = default;
};

struct DeviceError {
  measure::Direction direction = measure::Direction::read;
  measure::ByteCount offset;  // in the test file
  int error = 0;              // errno
  bool operator==(const DeviceError&) const = default;
};

struct DiskResult {
  DiskOptions options;  // as asked for
  Storage storage;      // what lies under the folder
  Engine engine = Engine::io_uring;
  CachePath cache_path = CachePath::direct;
  std::optional<double> resident_share;  // of the file in the page cache right before a buffered read
  measure::ByteCount region;             // of each job, after shrinking
  measure::ByteCount apparent_size;      // of the test file
  std::optional<measure::ByteCount> allocated_size;
  std::optional<DirectionResult> read;
  std::optional<DirectionResult> write;
  measure::Seconds window{0};      // first counted submission to last counted completion, without the flush
  measure::Seconds flush_time{0};  // of the flush at the end
  measure::Seconds user_cpu{0};    // of the job threads, in the window
  measure::Seconds system_cpu{0};
  StopReason stop_reason = StopReason::runtime;
  std::vector<DeviceError> errors;  // the first ones, at most 16
  std::uint64_t error_count = 0;
  measure::Notes notes;
  bool operator==(const DiskResult&) const = default;
};

constexpr const char* to_string(Engine engine) {
  switch (engine) {
    case Engine::io_uring:
      return "io_uring";
    case Engine::blocking:
      return "blocking";
    case Engine::null:
      return "null";
  }
  return "null";
}

constexpr const char* to_string(CachePath path) {
  switch (path) {
    case CachePath::direct:
      return "direct";
    case CachePath::buffered:
      return "buffered";
  }
  return "buffered";
}

constexpr const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::runtime:
      return "runtime";
    case StopReason::precision:
      return "precision";
    case StopReason::once:
      return "once";
    case StopReason::bytes:
      return "bytes";
    case StopReason::stopped:
      return "stopped";
    case StopReason::no_space:
      return "no-space";
    case StopReason::error:
      return "error";
    case StopReason::stuck:
      return "stuck";
  }
  return "error";
}

}  // namespace nasdiag::diskbench
