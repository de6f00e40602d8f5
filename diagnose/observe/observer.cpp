#include <diagnose/facts/link_payload.hpp>
#include <diagnose/observe/course.hpp>
#include <diagnose/observe/model.hpp>
#include <diagnose/observe/observer.hpp>
#include <diagnose/observe/sample_reader.hpp>
#include <diagnose/observe/saturations.hpp>
#include <diagnose/observe/socket_watch.hpp>
#include <diagnose/observe/task_watch.hpp>
#include <filebench/counter_watch.hpp>
#include <measure/sampler.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

namespace nasdiag::observe {

using evidence::Facts;
using evidence::Observation;

namespace {

constexpr std::size_t course_length = 240;  // stretches kept
constexpr std::size_t most_nics = 8, most_disks = 16;
// From here on the kernel slows writers down: it aims at halfway between this and the limit.
constexpr double held_back = 0.8;

// How many ticks lie between the readings of what costs more.
constexpr std::int64_t socket_ticks = 2, task_ticks = 5, peak_ticks = 10, gauge_ticks = 20;

Seconds now() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()); }

// The interfaces on both ways, the hardware below them included.
std::vector<std::string> nics_on_the_ways(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto* route : {&facts.route, &facts.mount_route}) {
    if (!*route) continue;
    for (const std::string& name : (*route)->stack) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> egress_nics(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto* route : {&facts.route, &facts.mount_route}) {
    if (*route && (*route)->interface && (names.empty() || names.front() != *(*route)->interface)) {
      names.push_back(*(*route)->interface);
    }
  }
  return names;
}

// Only these have counters of their own; what serves others in user space is seen as processes.
bool is_served_by_kernel(const std::optional<filebench::Mount>& mount) {
  return mount && (mount->kind == filebench::MountKind::nfs || mount->kind == filebench::MountKind::cifs);
}

measure::DataRate both_ways(const evidence::NicActivity& nic) { return nic.received + nic.sent; }

void describe_nics(const Facts& facts, const std::vector<std::string>& egress, Observation& observation) {
  auto& nics = observation.nics;
  std::erase_if(nics, [&](const auto& nic) {
    const bool wanted = std::find(egress.begin(), egress.end(), nic.name) != egress.end();
    return !wanted && both_ways(nic) == measure::DataRate();
  });
  std::stable_sort(nics.begin(), nics.end(),
                   [](const auto& a, const auto& b) { return both_ways(a) > both_ways(b); });
  if (nics.size() > most_nics) nics.resize(most_nics);
  for (auto& nic : nics) {
    const auto known = std::find_if(facts.nics.begin(), facts.nics.end(),
                                    [&](const evidence::Nic& other) { return other.name == nic.name; });
    if (known == facts.nics.end()) continue;
    nic.speed = known->speed;
    nic.payload = facts::link_payload(*known).rate;
  }
  for (const auto& nic : nics) {  // busiest first
    if (std::find(egress.begin(), egress.end(), nic.name) == egress.end()) continue;
    observation.tested_nic = nic.name;
    break;
  }
}

void describe_disks(const Facts& facts, Observation& observation) {
  for (auto& disk : observation.disks) {
    if (!facts.local_storage) break;
    for (const auto& device : facts.local_storage->devices)
      disk.holds_local_files |= device.name == disk.name;
  }
  auto& disks = observation.disks;
  std::erase_if(disks, [](const auto& disk) { return disk.busy == 0 && !disk.holds_local_files; });
  std::stable_sort(disks.begin(), disks.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
  if (disks.size() > most_disks) disks.resize(most_disks);
}

}  // namespace

// Everything between two calls of take(). All members are guarded by the mutex.
class Observer::Window {
 public:
  Window(const Facts& facts, const ObserverOptions& options)
      : facts_(facts),
        egress_(egress_nics(facts)),
        reader_({.root = options.root, .nics = nics_on_the_ways(facts), .ask_kernel = options.root == "/"}),
        tasks_(options.root, facts),
        sockets_(options.root, facts) {
    if (options.root == "/" && is_served_by_kernel(facts.mount)) mount_counters_.emplace(*facts.mount);
    start(read_everything());
    sampler_.emplace(options.interval, [this] { tick(); });
  }

  Observation take() {
    const std::lock_guard lock(mutex_);
    const Sample last = read_everything();
    Observation observation = rates_between(first_, last);
    finish_course(last);
    describe(observation, last);
    start(last);
    return observation;
  }

  void stop() { sampler_.reset(); }

 private:
  Sample read_everything() {
    Sample sample;
    sample.at = now();
    tasks_.read_all(sample.at);
    reader_.follow_groups_of(tasks_.groups_to_follow());
    reader_.read_fast(sample);
    reader_.read_gauges(sample);
    reader_.read_counters(sample);
    sockets_.read_all(sample.at, tasks_.own(), tasks_.of_mount());
    return sample;
  }

  void start(const Sample& first) {
    first_ = last_ = mark_ = first;
    samples_ = held_back_ticks_ = 0;
    gauges_ = peaks_ = {};
    course_.clear();
    tasks_.start(first.at);
    sockets_.start(first.at);
    extend_gauges(gauges_, first);
  }

  void tick() {
    const std::lock_guard lock(mutex_);
    Sample sample;
    sample.at = now();
    sample.memory.dirty_limit = last_.memory.dirty_limit;
    reader_.read_fast(sample);
    ++samples_;
    if (samples_ % gauge_ticks == 0) reader_.read_gauges(sample);
    if (samples_ % socket_ticks == 0) sockets_.read(sample.at, tasks_.own(), tasks_.of_mount());
    if (samples_ % task_ticks == 0) tasks_.read_tracked(sample.at);
    extend_gauges(gauges_, sample);
    const auto& memory = sample.memory;
    if (memory.dirty && memory.dirty_limit && *memory.dirty / *memory.dirty_limit >= held_back)
      ++held_back_ticks_;
    finish_course(sample);
    if (samples_ % peak_ticks == 0) finish_peak_stretch(sample);
  }

  void finish_course(const Sample& sample) {
    auto stretch = stretch_between(last_, sample, egress_, last_.at - first_.at);
    stretch.busiest_thread = tasks_.busiest_thread_lately();
    if (stretch.length > Seconds(0)) course_.add(stretch);
    last_ = sample;
  }

  void finish_peak_stretch(const Sample& sample) {
    const Observation part = rates_between(mark_, sample);
    if (peaks_.length == Seconds(0)) {
      peaks_ = part;
    } else {
      raise_peaks(peaks_, part);
    }
    mark_ = sample;
  }

  void describe(Observation& observation, const Sample& last) {
    raise_peaks(observation, peaks_);
    extend_gauges(gauges_, last);
    observation.samples = samples_;
    const auto throttled = observation.heat.throttle_events;
    observation.memory = gauges_.memory;
    observation.heat = {.highest_celsius = gauges_.heat.highest_celsius, .throttle_events = throttled};
    if (samples_ > 0) {
      observation.memory.at_dirty_limit =
          static_cast<double>(held_back_ticks_) / static_cast<double>(samples_);
    }
    tasks_.describe(last.at, observation);
    sockets_.describe(last.at, observation);
    describe_nics(facts_, egress_, observation);
    describe_disks(facts_, observation);
    if (mount_counters_) observation.mount = mount_counters_->take();
    observation.course = course_.stretches();
    observation.saturations = saturations_in(observation);
  }

  std::mutex mutex_;
  Facts facts_;
  std::vector<std::string> egress_;
  SampleReader reader_;
  TaskWatch tasks_;
  SocketWatch sockets_;
  std::optional<filebench::CounterWatch> mount_counters_;
  Course course_{course_length};
  Sample first_, last_, mark_;
  Observation gauges_, peaks_;
  std::int64_t samples_ = 0, held_back_ticks_ = 0;
  std::optional<measure::Sampler> sampler_;  // last: its thread uses all the rest
};

Observer::Observer(const Facts& facts, const ObserverOptions& options)
    : window_(std::make_unique<Window>(facts, options)) {}

Observer::~Observer() = default;

Observation Observer::take() { return window_->take(); }

Observation Observer::finish() {
  Observation observation = window_->take();
  window_->stop();
  return observation;
}

}  // namespace nasdiag::observe
