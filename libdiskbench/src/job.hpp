#pragma once

// One job: keeps its queue full of requests of its workload and counts what completes in the window.

#include "io_engine.hpp"
#include "offset_sequence.hpp"
#include "run_state.hpp"

#include <array>
#include <span>
#include <vector>

namespace nasdiag::diskbench {

class Job {
 public:
  // `buffers` are io_depth blocks, filled with random bytes.
  Job(const JobPlan& plan, int file, IoEngine& engine, std::span<std::byte> buffers, JobCounters& counters);

  // Until the phase is draining or the job's own limit is reached, and nothing is in flight any more.
  JobResult run(std::atomic<Phase>& phase);

 private:
  // What is in flight in one slot.
  struct Flight {
    Request request;
    Clock::time_point submitted{};
    bool moved_short = false;  // once before: the second time it's an error
  };

  void enter(Phase phase);
  void fill(Clock::time_point now);
  bool add_flush();
  bool add_transfer(Clock::time_point now);
  bool may_start(measure::Direction direction, Clock::time_point now);
  measure::Direction next_direction();
  std::uint64_t next_offset(measure::Direction direction);
  void add(Operation operation, std::uint64_t offset);
  std::chrono::nanoseconds longest_wait(Clock::time_point now) const;

  void complete(const Completion& completion, Clock::time_point now);
  void complete_transfer(const Flight& flight, std::int32_t moved, Clock::time_point now);
  bool try_again(const Completion& completion);
  void note_error(const Flight& flight, int error);
  void publish();
  void note_written_prefix();

  const JobPlan plan_;
  const int file_;
  IoEngine& engine_;
  const std::span<std::byte> buffers_;
  JobCounters& counters_;
  JobResult result_;

  std::array<OffsetSequence, 2> sequences_;  // by direction
  std::uint64_t random_ = 0;                 // state of the draw between reading and writing
  std::uint64_t serial_ = 0;                 // of blocks written
  std::vector<Flight> flights_;              // by slot
  std::vector<std::uint32_t> free_slots_;
  std::vector<Request> batch_;
  std::vector<Completion> done_;
  unsigned in_flight_ = 0;
  bool counting_ = false;
  bool draining_ = false;
  std::uint64_t submitted_in_window_ = 0;
  std::uint64_t completions_ = 0;
  std::uint64_t blocks_written_ = 0;
  unsigned writes_since_flush_ = 0;
  std::optional<measure::Direction> held_back_;  // drawn, but not allowed yet by the rate
  std::array<Clock::time_point, 2> next_due_{};
  Clock::time_point window_open_{};
};

}  // namespace nasdiag::diskbench
