#include "job.hpp"

#include "block_content.hpp"
#include "thread_cpu.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace nasdiag::diskbench {

namespace {

using measure::Direction;

constexpr std::size_t kKeptErrors = 16;
constexpr std::uint64_t kTooManyErrors = 16;  // a disk that fails as often as this isn't measured any further

Order order_of(const JobPlan& plan) {
  if (!is_random(plan.pattern)) return Order::sequential;
  return plan.random_map ? Order::random_map : Order::random;
}

constexpr std::size_t index_of(Direction direction) { return direction == Direction::write ? 0 : 1; }

}  // namespace

Job::Job(const JobPlan& plan, int file, IoEngine& engine, std::span<std::byte> buffers, JobCounters& counters)
    : plan_(plan),
      file_(file),
      engine_(engine),
      buffers_(buffers),
      counters_(counters),
      sequences_{OffsetSequence(order_of(plan), plan.region_blocks, plan.seed),
                 OffsetSequence(order_of(plan), plan.region_blocks, plan.seed + 1)},
      random_(mix(plan.seed)),
      serial_(mix(plan.content_seed)),
      flights_(plan.io_depth),
      done_(plan.io_depth) {
  for (std::uint32_t slot = plan.io_depth; slot-- > 0;) free_slots_.push_back(slot);
  batch_.reserve(plan.io_depth);
}

JobResult Job::run(std::atomic<Phase>& phase) {
  ThreadCpu cpu_at_start = thread_cpu();
  while (true) {
    const bool was_counting = counting_;
    enter(phase.load(std::memory_order_acquire));
    if (counting_ && !was_counting) cpu_at_start = thread_cpu();

    Clock::time_point now = Clock::now();
    fill(now);
    if (batch_.empty() && in_flight_ == 0) {
      if (draining_) break;
      std::this_thread::sleep_for(longest_wait(now));
      continue;
    }
    for (const Request& request : batch_) flights_[request.slot].submitted = now;
    in_flight_ += static_cast<unsigned>(batch_.size());
    const std::size_t count = engine_.exchange(batch_, done_, longest_wait(now));
    batch_.clear();
    now = Clock::now();
    for (std::size_t i = 0; i < count; ++i) complete(done_[i], now);
    publish();
  }
  const ThreadCpu cpu = thread_cpu();
  result_.user_cpu = cpu.user - cpu_at_start.user;
  result_.system_cpu = cpu.system - cpu_at_start.system;
  note_written_prefix();
  return result_;
}

void Job::enter(Phase phase) {
  if (phase == Phase::measuring && !counting_) {
    counting_ = true;
    window_open_ = Clock::now();
    result_.first_submission = result_.last_completion = window_open_;
  }
  if (phase == Phase::draining) draining_ = true;
}

void Job::fill(Clock::time_point now) {
  while (!draining_ && !free_slots_.empty())
    if (!add_flush() && !add_transfer(now)) break;
}

bool Job::add_flush() {
  const bool whole = plan_.fsync_every != 0 && writes_since_flush_ >= plan_.fsync_every;
  const bool content = plan_.fdatasync_every != 0 && writes_since_flush_ >= plan_.fdatasync_every;
  if (!whole && !content) return false;
  writes_since_flush_ = 0;
  add(whole ? Operation::fsync : Operation::fdatasync, 0);
  return true;
}

bool Job::add_transfer(Clock::time_point now) {
  if (plan_.block_limit && submitted_in_window_ >= *plan_.block_limit) {
    draining_ = true;
    return false;
  }
  const Direction direction = held_back_ ? *held_back_ : next_direction();
  if (!may_start(direction, now)) {
    held_back_ = direction;
    return false;
  }
  held_back_.reset();
  const std::uint64_t offset = next_offset(direction);
  if (counting_) ++submitted_in_window_;
  if (direction == Direction::write) {
    ++writes_since_flush_;
    stamp(buffers_.subspan(free_slots_.back() * plan_.block_size, plan_.block_size), ++serial_);
  }
  add(direction == Direction::write ? Operation::write : Operation::read, offset);
  return true;
}

bool Job::may_start(Direction direction, Clock::time_point now) {
  if (!plan_.rate) return true;
  Clock::time_point& due = next_due_[index_of(direction)];
  if (due == Clock::time_point{}) due = now;
  if (now < due) return false;
  const measure::Seconds step =
      measure::ByteCount::bytes(static_cast<std::int64_t>(plan_.block_size)) / *plan_.rate;
  due += std::chrono::duration_cast<Clock::duration>(step);
  return true;
}

Direction Job::next_direction() {
  if (!writes(plan_.pattern)) return Direction::read;
  if (!reads(plan_.pattern)) return Direction::write;
  const std::uint64_t draw = mix(random_++);
  return static_cast<int>((draw >> 32U) * 100 >> 32U) < plan_.read_percent ? Direction::read
                                                                           : Direction::write;
}

std::uint64_t Job::next_offset(Direction direction) {
  OffsetSequence& sequence = sequences_[index_of(direction)];
  const std::uint64_t pass = sequence.pass();
  const std::uint64_t block = sequence.next();
  if (plan_.evict_each_pass && sequence.pass() != pass)
    ::posix_fadvise(file_, static_cast<off_t>(plan_.region_start),
                    static_cast<off_t>(plan_.region_blocks * plan_.block_size), POSIX_FADV_DONTNEED);
  return plan_.region_start + block * plan_.block_size;
}

void Job::add(Operation operation, std::uint64_t offset) {
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  flights_[slot] = {.request = {.offset = offset, .slot = slot, .operation = operation}};
  batch_.push_back(flights_[slot].request);
}

// Without a rate the engine waits for the next completion, however long that takes. With one, and a place in
// the queue, it must come back when the next request is due.
std::chrono::nanoseconds Job::longest_wait(Clock::time_point now) const {
  if (!held_back_ || draining_) return std::chrono::nanoseconds(0);
  constexpr std::chrono::nanoseconds kShortest{1'000};
  constexpr std::chrono::nanoseconds kLongest{50'000'000};  // looks at the phase at least this often
  const std::chrono::nanoseconds due = next_due_[index_of(*held_back_)] - now;
  return std::clamp(due, kShortest, kLongest);
}

void Job::complete(const Completion& completion, Clock::time_point now) {
  --in_flight_;
  if (try_again(completion)) return;
  ++completions_;
  const Flight& flight = flights_[completion.slot];
  if (completion.result < 0)
    note_error(flight, -completion.result);
  else
    complete_transfer(flight, completion.result, now);
  free_slots_.push_back(completion.slot);
}

void Job::complete_transfer(const Flight& flight, std::int32_t moved, Clock::time_point now) {
  const bool is_write = flight.request.operation == Operation::write;
  if (is_write) ++blocks_written_;
  if (!counting_) return;
  const auto latency = now - flight.submitted;
  result_.last_completion = now;
  if (!is_write && flight.request.operation != Operation::read) {
    result_.flush_latency.add(latency);
    return;
  }
  Tally& tally = is_write ? result_.write : result_.read;
  ++tally.operations;
  tally.bytes += static_cast<std::uint64_t>(moved);
  tally.latency.add(latency);
}

// Interrupted requests, and ones that moved less than they should: the second try tells the reason.
bool Job::try_again(const Completion& completion) {
  Flight& flight = flights_[completion.slot];
  const bool interrupted = completion.result == -EINTR || completion.result == -EAGAIN;
  const bool moves_data =
      flight.request.operation == Operation::read || flight.request.operation == Operation::write;
  const bool moved_short =
      moves_data && completion.result >= 0 && static_cast<std::size_t>(completion.result) < plan_.block_size;
  if (!interrupted && !moved_short) return false;
  if (moved_short && flight.moved_short) {
    ++completions_;
    note_error(flight, EIO);
    free_slots_.push_back(completion.slot);
    return true;
  }
  flight.moved_short = flight.moved_short || moved_short;
  batch_.push_back(flight.request);
  return true;
}

void Job::note_error(const Flight& flight, int error) {
  ++result_.error_count;
  if (result_.errors.size() < kKeptErrors)
    result_.errors.push_back(
        {.direction = flight.request.operation == Operation::read ? Direction::read : Direction::write,
         .offset = measure::ByteCount::bytes(static_cast<std::int64_t>(flight.request.offset)),
         .error = error});
  if (error == ENOSPC || error == EDQUOT) {
    result_.no_space = true;
    draining_ = true;
  } else if (result_.error_count >= kTooManyErrors) {
    result_.failed = true;
    draining_ = true;
  }
}

void Job::publish() {
  counters_.read_bytes.store(result_.read.bytes, std::memory_order_relaxed);
  counters_.written_bytes.store(result_.write.bytes, std::memory_order_relaxed);
  counters_.reads.store(result_.read.operations, std::memory_order_relaxed);
  counters_.writes.store(result_.write.operations, std::memory_order_relaxed);
  counters_.completions.store(completions_, std::memory_order_relaxed);
}

// Sequential writing leaves no gap if nothing failed, as all that was submitted has completed by now.
void Job::note_written_prefix() {
  if (plan_.pattern == Pattern::write && result_.error_count == 0)
    result_.leading_blocks_written = std::min(blocks_written_, plan_.region_blocks);
}

}  // namespace nasdiag::diskbench
