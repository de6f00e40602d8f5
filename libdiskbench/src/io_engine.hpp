#pragma once

// The seam between a workload and the way its requests reach the disk.

#include <diskbench/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nasdiag::diskbench {

enum class Operation : std::uint8_t { read, write, fsync, fdatasync };

// A slot is one place in the queue; it has a buffer of block_size of its own.
struct Request {
  std::uint64_t offset = 0;
  std::uint32_t slot = 0;
  Operation operation = Operation::read;
};

struct Completion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;  // bytes moved, or a negative errno
};

struct EngineSetup {
  int file = -1;
  std::span<std::byte> buffers;  // io_depth blocks, one after the other
  std::size_t block_size = 0;
  unsigned io_depth = 1;
  bool sq_poll = false;
  bool io_poll = false;
};

// Used by one thread, the one that made it. At most io_depth requests are in flight.
class IoEngine {
 public:
  virtual ~IoEngine() = default;
  IoEngine() = default;
  IoEngine(const IoEngine&) = delete;
  IoEngine& operator=(const IoEngine&) = delete;

  // Submits all the requests, then waits until at least one of all those in flight has completed or
  // `longest_wait` is over (zero: no limit), and returns how many completions it put into `done`, which holds
  // io_depth of them. Throws std::system_error when the engine itself fails.
  virtual std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                               std::chrono::nanoseconds longest_wait) = 0;
  virtual Engine kind() const = 0;
  // What the engine had to do without ("registered buffers: …"), for the notes.
  virtual std::vector<std::string> shortcomings() const { return {}; }
};

using EngineFactory = std::function<std::unique_ptr<IoEngine>(const EngineSetup&)>;

}  // namespace nasdiag::diskbench
