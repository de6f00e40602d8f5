// What watching costs: processor time of an Observer at 10 Hz, on this host as it is.
//
//   sampler_cost [SECONDS]
//
// Prints the share of one core that the sampling thread took (target: below 1 %), and the growth of the
// resident set over the run.

#include <diagnose/facts/facts.hpp>
#include <diagnose/observe/observer.hpp>

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long resident_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  const auto facts =
      nasdiag::facts::read_facts({.server = argc > 2 ? argv[2] : "127.0.0.1", .local = "/tmp"});
  nasdiag::observe::Observer observer(facts);
  const double before = processor_seconds();
  const long memory = resident_kilobytes();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double used = processor_seconds() - before;
  const auto seen = observer.finish();
  std::printf("%.1f s, %lld samples, %zu processes listed: %.3f %% of one core, %ld KiB more memory\n",
              seen.length.count(), static_cast<long long>(seen.samples), seen.processes.size(),
              used / seconds * 100, resident_kilobytes() - memory);
  return used / seconds < 0.01 ? 0 : 1;
}
