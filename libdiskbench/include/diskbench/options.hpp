#pragma once

// What to measure, in fio's words.

#include <measure/quantity.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace nasdiag::diskbench {

enum class Pattern { read, write, randread, randwrite, rw, randrw };
enum class Direct {
  automatic,  // past the page cache where the file system allows it, else buffered with the cache emptied
              // first
  on,         // past the page cache or not at all
  off         // through the page cache
};
enum class Sync { none, dsync, sync };  // flags of the file: every write returns when it is durable
enum class EngineChoice {
  automatic,  // io_uring, or blocking where the kernel or a container forbids it
  io_uring,
  blocking,  // preadv2 and pwritev2, one thread per request in flight
  null       // completes at once without touching the disk: what this program itself could reach
};

// One workload. The defaults measure sequential reading in 1 MiB requests.
struct DiskOptions {
  std::string name;  // of the job in reports; empty: made from the pattern
  Pattern pattern = Pattern::read;
  measure::ByteCount block_size = measure::ByteCount::mebibytes(1);
  unsigned io_depth = 8;  // requests in flight per job
  unsigned jobs = 1;      // threads, each with a region of its own in the test file
  // Region of each job, wrapped around until the run ends. Shrunk with a note when the file system has less
  // room above its reserve. A file that has to be read through the page cache is made larger than this if
  // there is room and it pays.
  measure::ByteCount size = measure::ByteCount::gibibytes(1);
  int read_percent = 50;  // rwmixread: share of reads of rw and randrw

  std::chrono::milliseconds runtime{10'000};               // longest window, ramp not included
  std::chrono::milliseconds ramp_time{0};                  // load before the window opens
  std::optional<measure::ByteCount> byte_limit;            // moved in the window, all jobs together
  std::optional<double> precision = 0.03;                  // ends early at ±3 % (95 %); none: whole runtime
  bool once = false;                                       // ends when each job has gone over its region once
  std::optional<std::chrono::milliseconds> prepare_limit;  // longest time for writing the file to be read
  std::chrono::milliseconds stuck_after{20'000};           // a request older than this: the disk hangs

  Direct direct = Direct::automatic;
  Sync sync = Sync::none;
  unsigned fsync_every = 0;               // fsync after every N writes; 0: never
  unsigned fdatasync_every = 0;           // fdatasync after every N writes; 0: never
  bool end_flush = true;                  // fdatasync inside the window, so that written means durable
  bool end_fsync = false;                 // fsync in its place
  std::optional<measure::DataRate> rate;  // ceiling per job and direction
  bool random_map = true;                 // random offsets visit every block once before any twice

  EngineChoice engine = EngineChoice::automatic;
  bool sq_poll = false;  // a kernel thread fetches the requests; costs a core
  bool io_poll = false;  // completions are polled for; needs a polling driver and O_DIRECT
  std::size_t seed = 1;  // of offsets and data; same seed, same offsets
  bool operator==(const DiskOptions&) const = default;
};

constexpr const char* to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::read:
      return "read";
    case Pattern::write:
      return "write";
    case Pattern::randread:
      return "randread";
    case Pattern::randwrite:
      return "randwrite";
    case Pattern::rw:
      return "rw";
    case Pattern::randrw:
      return "randrw";
  }
  return "read";
}

constexpr const char* to_string(Direct direct) {
  switch (direct) {
    case Direct::automatic:
      return "auto";
    case Direct::on:
      return "on";
    case Direct::off:
      return "off";
  }
  return "auto";
}

constexpr const char* to_string(Sync sync) {
  switch (sync) {
    case Sync::none:
      return "none";
    case Sync::dsync:
      return "dsync";
    case Sync::sync:
      return "sync";
  }
  return "none";
}

constexpr const char* to_string(EngineChoice choice) {
  switch (choice) {
    case EngineChoice::automatic:
      return "auto";
    case EngineChoice::io_uring:
      return "io_uring";
    case EngineChoice::blocking:
      return "blocking";
    case EngineChoice::null:
      return "null";
  }
  return "auto";
}

constexpr bool is_random(Pattern pattern) {
  return pattern == Pattern::randread || pattern == Pattern::randwrite || pattern == Pattern::randrw;
}
constexpr bool reads(Pattern pattern) { return pattern != Pattern::write && pattern != Pattern::randwrite; }
constexpr bool writes(Pattern pattern) { return pattern != Pattern::read && pattern != Pattern::randread; }

}  // namespace nasdiag::diskbench
