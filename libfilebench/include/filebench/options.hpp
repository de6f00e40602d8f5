#pragma once

// What to measure over a mount. All have sensible defaults; set what you need with designated initialisers.

#include <measure/quantity.hpp>
#include <measure/steady_state.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace nasdiag::filebench {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;

enum class HashKind { xxh3, sha1, sha256 };

struct SessionOptions {
  std::filesystem::path mount_folder;  // files are made in a fresh folder under it
  std::filesystem::path local_folder;  // for copies; empty: no copy experiments
  HashKind hash = HashKind::xxh3;
  // No sign of progress for so long and the mount counts as hung.
  std::chrono::milliseconds stall_limit{10'000};
  // Root only, and only if the user asked: reads are preceded by dropping this machine's whole page cache.
  bool drop_all_caches = false;
  // What the link that the mount's traffic goes over is known to carry; a durable or cold rate above it is
  // void. Absent: no check, as where what TCP really carried is there to compare with.
  std::optional<DataRate> link_rate;
  // The program to start as the worker; the default is this one (see worker.hpp).
  std::filesystem::path worker_program = "/proc/self/exe";
};

struct WriteOptions {
  ByteCount size = ByteCount::gibibytes(1);  // at most: less if space or time run out
  Seconds time_limit{10.0};                  // flush included, as well as it can be foreseen
  // Absent: what the mount is fastest with. Over sshfs 128 KiB, as cp writes: it sends pieces of 32 to 64 KiB
  // and takes the next while the last is on its way; elsewhere 1 MiB.
  std::optional<ByteCount> piece_size;
  std::size_t files = 1;  // at once, each from a thread of its own; `size` is the sum
  int repeats = 1;
};

enum class ReadCache {
  drop,  // the client's pages are dropped and checked to be gone before the read
  keep   // warm: read once before the window
};

// How a read treats the request size: what programs do, or what the mount could do.
enum class ReadPath { buffered, direct };

struct ReadOptions {
  ByteCount size = ByteCount::gibibytes(1);  // at most; never more than was written
  Seconds time_limit{10.0};
  // Absent: what suits. Out of this machine's memory or a disk of its own 256 KiB, which are hashed while they
  // still lie in the core's own cache; over a network 1 MiB, since a mount without a cache asks piece by piece.
  std::optional<ByteCount> piece_size;
  std::size_t files = 1;  // as many of the written ones as this at once
  int repeats = 1;
  ReadCache cache = ReadCache::drop;
  ReadPath path = ReadPath::buffered;
  bool hash = true;                            // overlapped with reading, and compared with what was written
  std::optional<measure::StopRule> stop_rule;  // ends early once the rate is known so well
  // Instead of the start of the file: the last part of what the read before this one read, which a server
  // that keeps what it reads has in memory now. A large gain over the first read is the server's disk, none
  // is not.
  bool again = false;
  // A file of the user's to read (opened for reading only) in place of the one written: the one way to a
  // file that the server holds on its disk alone. Nothing to compare the hash with.
  std::filesystem::path user_file;
};

enum class CopyMode {
  as_cp,      // read a piece, write a piece; overlap is what the page cache gives
  overlapped  // one thread reads while another writes
};

struct CopyOptions {
  ByteCount size = ByteCount::gibibytes(1);
  Seconds time_limit{10.0};
  ByteCount piece_size = ByteCount::kibibytes(128);
  CopyMode mode = CopyMode::as_cp;
  int repeats = 1;
};

struct SweepOptions {
  Direction direction = Direction::read;
  std::vector<ByteCount> request_sizes{ByteCount::kibibytes(4),  ByteCount::kibibytes(16),
                                       ByteCount::kibibytes(64), ByteCount::kibibytes(256),
                                       ByteCount::mebibytes(1),  ByteCount::mebibytes(4)};
  std::vector<std::size_t> in_flight{1, 2, 4, 8, 16};  // at in_flight_size each
  ByteCount in_flight_size = ByteCount::kibibytes(128);
  Seconds time_per_point{0.5};
};

struct SmallFilesOptions {
  std::size_t files = 500;  // at most
  ByteCount file_size = ByteCount::kibibytes(4);
  std::size_t threads = 1;
  bool fsync = false;  // after each file's write
  Seconds time_per_phase{4.0};
};

struct ListingOptions {
  std::size_t entries = 2000;  // at most
  Seconds time_limit{8.0};     // making the entries included
};

struct CommitOptions {
  std::size_t commits = 200;  // at most
  ByteCount size = ByteCount::kibibytes(4);
  Seconds time_limit{3.0};
};

}  // namespace nasdiag::filebench
