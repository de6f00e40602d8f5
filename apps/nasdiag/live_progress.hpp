#pragma once

#include <measure/progress.hpp>

#include <mutex>
#include <string>

namespace nasdiag::app {

// Progress on stderr: one line redrawn in place on a terminal, else one line per phase.
class LiveProgress final : public measure::ProgressObserver {
 public:
  LiveProgress();
  ~LiveProgress() override;
  void on_progress(const measure::ProgressEvent& event) override;

 private:
  void redraw(const measure::ProgressEvent& event);
  void print_once(const measure::ProgressEvent& event);
  void clear();

  bool terminal_;
  bool drawn_ = false;
  std::string last_phase_;
  std::mutex mutex_;
};

}  // namespace nasdiag::app
