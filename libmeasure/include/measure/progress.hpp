#pragma once

// What is happening right now, for a person who waits. Numbers and words for machines, no sentences.

#include <measure/quantity.hpp>

#include <optional>
#include <string_view>

namespace nasdiag::measure {

struct ProgressEvent {
  std::string_view layer;  // "network", "disk", "file"
  std::string_view phase;  // "write, 4 streams"; valid during the call only
  double fraction = 0;     // of this phase, 0 to 1
  std::optional<DataRate> throughput;
  Seconds time_left{0};  // of this phase, at most; in a run of several steps: of the whole run
  int step = 0;          // of how many; 0: a single measurement
  int steps = 0;
};

// Called from one thread at a time for one measurement, a few times a second and at the start and the end
// of each phase. Must return quickly and must not throw.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;
  virtual void on_progress(const ProgressEvent& event) = 0;
};

class NoProgress final : public ProgressObserver {
 public:
  void on_progress(const ProgressEvent&) override {}
};

}  // namespace nasdiag::measure
