#pragma once

// When to stop writing so that the flush, too, ends within the time limit. write() only fills the page cache;
// how much is still there, and how fast it drains, tells how long fsync() will take. FUSE writes through:
// this machine keeps nothing back, and what the server does with it can't be seen before the flush.

#include <measure/quantity.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace nasdiag::filebench {

// Dirty and being written back on the whole machine (/proc/meminfo); nothing if unreadable.
std::optional<std::int64_t> unwritten_bytes();

struct DrainState {
  measure::Seconds elapsed{0};
  measure::ByteCount accepted;   // by write()
  measure::ByteCount unwritten;  // of it, still in the cache
};

// How long until everything is written and flushed, from the start; `known_rate` (of an earlier write) is
// used until something has drained. Nothing: no idea yet.
std::optional<measure::Seconds> expected_end(const DrainState& state,
                                             std::optional<measure::DataRate> known_rate);

class WriteBudget {
 public:
  // Of writing to files in `folder`; `known_rate`: durable, of an earlier write there.
  WriteBudget(const std::filesystem::path& folder, measure::Seconds time_limit,
              std::optional<measure::DataRate> known_rate);
  // Cheap enough to ask after every piece; looks at the system a few times a second.
  bool over(std::int64_t accepted_bytes);

 private:
  bool look(std::int64_t accepted_bytes, std::int64_t now) const;
  bool through_over(measure::Seconds elapsed, measure::ByteCount accepted) const;

  bool writes_through_;
  measure::Seconds time_limit_;
  std::optional<measure::DataRate> known_rate_;
  std::int64_t start_;
  std::int64_t unwritten_before_;
  std::atomic<std::int64_t> next_look_;
  std::atomic<bool> over_{false};
};

}  // namespace nasdiag::filebench
