#include "coordinator.hpp"

#include "aligned_buffer.hpp"
#include "job.hpp"

#include <algorithm>
#include <thread>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;
using measure::Seconds;

constexpr std::chrono::milliseconds kTick{100};
constexpr Seconds kShortestLastSample{
    0.05};  // shorter ones say little about the rate: joined to the one before
constexpr unsigned kTicksPerPrecisionCheck = 5;

// Waits until the coordinator lets all jobs go at once. False: don't even begin.
bool wait_for_start(Run& run) {
  {
    const std::lock_guard lock(run.mutex);
    ++run.ready;
  }
  run.job_changed.notify_all();
  run.phase.wait(Phase::waiting, std::memory_order_acquire);
  return run.phase.load(std::memory_order_acquire) != Phase::draining;
}

JobResult work_on(Run& run, std::size_t index) {
  const JobPlan& plan = run.plans[index];
  AlignedBuffer memory(plan.block_size * plan.io_depth);
  fill_random(memory.bytes(), plan.content_seed);
  const auto engine = run.make_engine({.file = run.file.get(),
                                       .buffers = memory.bytes(),
                                       .block_size = plan.block_size,
                                       .io_depth = plan.io_depth,
                                       .sq_poll = plan.sq_poll,
                                       .io_poll = plan.io_poll});
  if (!wait_for_start(run)) return {};
  Job job(plan, run.file.get(), *engine, memory.bytes(), run.counters[index]);
  JobResult result = job.run(run.phase);
  result.engine = engine->kind();
  result.shortcomings = engine->shortcomings();
  return result;
}

void job_thread(const std::shared_ptr<Run>& run, std::size_t index) {
  JobResult result;
  std::exception_ptr failure;
  try {
    result = work_on(*run, index);
  } catch (...) {
    failure = std::current_exception();
  }
  const bool ends_all = failure || result.no_space || result.failed;
  {
    const std::lock_guard lock(run->mutex);
    run->results[index] = std::move(result);
    if (failure && !run->failure) run->failure = failure;
    ++run->finished;
  }
  if (ends_all) run->advance(Phase::draining);
  run->job_changed.notify_all();
}

struct Counted {
  ByteCount read;
  ByteCount written;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t completions = 0;
};

Counted count(const Run& run) {
  Counted sum;
  for (const JobCounters& job : run.counters) {
    const auto bytes = [](const std::atomic<std::uint64_t>& n) {
      return ByteCount::bytes(static_cast<std::int64_t>(n.load(std::memory_order_relaxed)));
    };
    sum.read += bytes(job.read_bytes);
    sum.written += bytes(job.written_bytes);
    sum.reads += job.reads.load(std::memory_order_relaxed);
    sum.writes += job.writes.load(std::memory_order_relaxed);
    sum.completions += job.completions.load(std::memory_order_relaxed);
  }
  return sum;
}

class Coordinator {
 public:
  Coordinator(Run& run, const RunLimits& limits, measure::ProgressObserver& progress, std::stop_token stop)
      : run_(run), limits_(limits), progress_(progress), stop_(std::move(stop)) {}

  RunOutcome run() {
    if (!wait_until_ready()) return abandon();
    const Clock::time_point begin = Clock::now();
    if (limits_.ramp.count() > 0) {
      run_.advance(Phase::ramp);
      wait_out_ramp(begin + limits_.ramp);
    }
    open_window();
    while (!all_finished()) {
      wait_for_tick();
      sample();
      if (is_stuck()) return abandon();
      if (const auto reason = reason_to_stop()) drain(*reason);
    }
    return finish();
  }

 private:
  bool wait_until_ready() {
    std::unique_lock lock(run_.mutex);
    return run_.job_changed.wait_for(lock, limits_.stuck_after,
                                     [this] { return run_.ready + run_.finished >= run_.plans.size(); });
  }

  bool all_finished() {
    const std::lock_guard lock(run_.mutex);
    return run_.finished == run_.plans.size();
  }

  void wait_out_ramp(Clock::time_point end) {
    std::unique_lock lock(run_.mutex);
    while (Clock::now() < end && !stop_.stop_requested() && run_.finished < run_.plans.size())
      run_.job_changed.wait_until(lock, std::min(end, Clock::now() + kTick));
  }

  void open_window() {
    outcome_.window_open = last_sample_ = Clock::now();
    next_tick_ = last_sample_ + kTick;
    last_progress_ = last_sample_;
    run_.advance(Phase::measuring);
    report(0);
  }

  void wait_for_tick() {
    std::unique_lock lock(run_.mutex);
    run_.job_changed.wait_until(lock, next_tick_, [this] { return run_.finished == run_.plans.size(); });
  }

  void sample() {
    const Clock::time_point now = Clock::now();
    if (now < next_tick_) return;  // woken because all have finished
    while (next_tick_ <= now) next_tick_ += kTick;
    add_samples(now);
    report(fraction(now));
  }

  void add_samples(Clock::time_point now) {
    const Counted counted = count(run_);
    const Seconds start = last_sample_ - outcome_.window_open;
    const Seconds length = now - last_sample_;
    const ByteCount read = counted.read - counted_.read;
    const ByteCount written = counted.written - counted_.written;
    outcome_.read.push_back({start, length, read});
    outcome_.write.push_back({start, length, written});
    both_.push_back({start, length, read + written});
    if (counted.completions != counted_.completions) last_progress_ = now;
    counted_ = counted;
    last_sample_ = now;
  }

  bool is_stuck() const { return Clock::now() - last_progress_ > limits_.stuck_after; }

  std::optional<StopReason> reason_to_stop() {
    if (draining_) return std::nullopt;
    if (stop_.stop_requested()) return StopReason::stopped;
    if (limits_.runtime && Clock::now() - outcome_.window_open >= *limits_.runtime)
      return StopReason::runtime;
    if (limits_.precision && both_.size() % kTicksPerPrecisionCheck == 0 &&
        measure::known_well_enough(both_, *limits_.precision))
      return StopReason::precision;
    return std::nullopt;
  }

  void drain(StopReason reason) {
    draining_ = true;
    outcome_.stop_reason = reason;
    run_.advance(Phase::draining);
  }

  double fraction(Clock::time_point now) const {
    double done = 0;
    if (limits_.runtime) done = Seconds(now - outcome_.window_open) / Seconds(*limits_.runtime);
    if (limits_.expected && limits_.expected->bytes() > 0)
      done = std::max(done, (counted_.read + counted_.written) / *limits_.expected);
    return std::min(done, 1.0);
  }

  void report(double done) {
    measure::ProgressEvent event{.layer = "disk", .phase = limits_.phase_name, .fraction = done};
    if (!both_.empty()) event.throughput = both_.back().rate();
    if (limits_.runtime) event.time_left = Seconds(*limits_.runtime) * (1 - done);
    progress_.on_progress(event);
  }

  // The last, shorter sample: the jobs have drained.
  void close_series() {
    for (const JobResult& job : run_.results)
      outcome_.window_close = std::max(outcome_.window_close, job.last_completion);
    const Seconds rest = outcome_.window_close - last_sample_;
    if (rest >= kShortestLastSample) {
      add_samples(outcome_.window_close);
      return;
    }
    const Counted counted = count(run_);
    extend(outcome_.read, rest, counted.read - counted_.read);
    extend(outcome_.write, rest, counted.written - counted_.written);
    counted_ = counted;
  }

  void extend(measure::SampleSeries& series, Seconds rest, ByteCount amount) const {
    const Seconds longer = std::max(rest, Seconds(0));
    if (series.empty())
      series.push_back({Seconds(0), longer, amount});
    else
      series.back() = {series.back().start, series.back().length + longer, series.back().amount + amount};
  }

  RunOutcome finish() {
    const std::lock_guard lock(run_.mutex);
    if (run_.failure) std::rethrow_exception(run_.failure);
    outcome_.jobs = run_.results;
    outcome_.window_close = outcome_.window_open;
    close_series();
    outcome_.reads = counted_.reads;
    outcome_.writes = counted_.writes;
    for (const JobResult& job : outcome_.jobs) {
      if (job.no_space) outcome_.stop_reason = StopReason::no_space;
      if (job.failed) outcome_.stop_reason = StopReason::error;
    }
    report(1);
    return std::move(outcome_);
  }

  // The threads stay behind with all they use; the counters tell what was moved until then.
  RunOutcome abandon() {
    run_.advance(Phase::draining);
    outcome_.stop_reason = StopReason::stuck;
    outcome_.window_close = last_progress_;
    outcome_.reads = counted_.reads;
    outcome_.writes = counted_.writes;
    return std::move(outcome_);
  }

  Run& run_;
  const RunLimits& limits_;
  measure::ProgressObserver& progress_;
  std::stop_token stop_;
  RunOutcome outcome_;
  measure::SampleSeries both_;  // directions together, for the stop rule
  Counted counted_;
  Clock::time_point last_sample_{};
  Clock::time_point next_tick_{};
  Clock::time_point last_progress_{};
  bool draining_ = false;
};

}  // namespace

RunOutcome run_jobs(const std::shared_ptr<Run>& run, const RunLimits& limits,
                    measure::ProgressObserver& progress, const std::stop_token& stop) {
  for (std::size_t i = 0; i < run->plans.size(); ++i) std::thread(job_thread, run, i).detach();
  return Coordinator(*run, limits, progress, stop).run();
}

}  // namespace nasdiag::diskbench
