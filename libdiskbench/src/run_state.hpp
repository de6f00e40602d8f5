#pragma once

// What the threads of one run share. The coordinator moves the phase on; each job writes its own counters
// and, when it ends, hands over its result.

#include "block_content.hpp"
#include "io_engine.hpp"
#include "open_file.hpp"

#include <diskbench/options.hpp>
#include <diskbench/result.hpp>
#include <diskbench/test_file.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::diskbench {

using Clock = std::chrono::steady_clock;

enum class Phase : int { waiting, ramp, measuring, draining };

// What one job does.
struct JobPlan {
  Pattern pattern = Pattern::read;
  std::uint64_t region_start = 0;  // in the file
  std::uint64_t region_blocks = 1;
  std::size_t block_size = 4096;
  unsigned io_depth = 1;
  int read_percent = 50;
  bool random_map = true;
  unsigned fsync_every = 0;
  unsigned fdatasync_every = 0;
  std::optional<std::uint64_t> block_limit;  // submitted in the window
  std::optional<measure::DataRate> rate;     // per direction
  bool evict_each_pass = false;              // buffered reading: a second pass must not come from memory
  bool sq_poll = false;
  bool io_poll = false;
  std::uint64_t seed = 1;          // of the offsets
  std::uint64_t content_seed = 1;  // of what is written: never the same twice
};

// Written by the job alone, read by the coordinator at any time. Of the window, except `completions`.
struct alignas(64) JobCounters {
  std::atomic<std::uint64_t> read_bytes{0};
  std::atomic<std::uint64_t> written_bytes{0};
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> completions{0};  // in all phases: stands still when the disk hangs
};

struct Tally {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  measure::LatencyHistogram latency;
};

struct JobResult {
  Tally read;
  Tally write;
  measure::LatencyHistogram flush_latency;
  std::vector<DeviceError> errors;
  std::uint64_t error_count = 0;
  bool no_space = false;
  bool failed = false;  // gave up after too many errors
  Clock::time_point first_submission{};
  Clock::time_point last_completion{};
  std::uint64_t leading_blocks_written = 0;  // of the region, from its start without a gap
  measure::Seconds user_cpu{0};
  measure::Seconds system_cpu{0};
  std::optional<Engine> engine;           // the one that ran
  std::vector<std::string> shortcomings;  // of it
};

// One run of several jobs. Held by shared_ptr: a thread that the disk never lets go keeps all it uses alive.
struct Run {
  std::shared_ptr<TestFile::State> test_file;
  OpenFile file;
  EngineFactory make_engine;
  std::vector<JobPlan> plans;

  std::atomic<Phase> phase{Phase::waiting};
  std::vector<JobCounters> counters;
  std::mutex mutex;                     // guards what follows
  std::condition_variable job_changed;  // ready or finished
  unsigned ready = 0;
  unsigned finished = 0;
  std::vector<JobResult> results;
  std::exception_ptr failure;  // of an engine

  explicit Run(std::size_t jobs) : counters(jobs), results(jobs) {}
  // Draining is the end: nothing leads out of it.
  void advance(Phase to) {
    Phase now = phase.load(std::memory_order_acquire);
    while (now != Phase::draining && !phase.compare_exchange_weak(now, to, std::memory_order_acq_rel)) {
    }
    phase.notify_all();
  }
  // Once all jobs have finished: a thread on its last steps must not keep the file.
  void let_go_of_file() {
    test_file.reset();
    file = OpenFile();
  }
};

}  // namespace nasdiag::diskbench
