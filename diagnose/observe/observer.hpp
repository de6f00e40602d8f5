#pragma once

// Watches the host while something is measured, or while the user's own copy runs.

#include <diagnose/evidence/facts.hpp>
#include <diagnose/evidence/observation.hpp>

#include <chrono>
#include <filesystem>
#include <memory>

namespace nasdiag::observe {

struct ObserverOptions {
  std::chrono::milliseconds interval{100};
  std::filesystem::path root = "/";  // proc and sys are read below it. Elsewhere than "/" the kernel itself
                                     // (sock_diag) isn't asked.
};

// Starts one thread that reads counters of /proc, /sys and sock_diag; costs less than 1 % of a core. Memory
// is bounded however long it runs: neighbouring stretches of the course are merged. Never touches the mount.
// The facts tell what to look at: the interfaces, the mount's processes and sockets, the user's disk.
// Make it just before an experiment; call finish() right after, from the same thread.
class Observer {
 public:
  explicit Observer(const evidence::Facts& facts, const ObserverOptions& options = {});
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // The time since the start, or since the last take(); a new window begins.
  evidence::Observation take();
  // take(), and stops sampling.
  evidence::Observation finish();

 private:
  class Window;
  std::unique_ptr<Window> window_;
};

}  // namespace nasdiag::observe
