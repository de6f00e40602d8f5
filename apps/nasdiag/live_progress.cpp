#include "nasdiag/live_progress.hpp"

#include "nasdiag/terminal.hpp"

#include <measure/quantity_text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nasdiag::app {

namespace {

constexpr int kBarWidth = 20;

std::string bar(double fraction) {
  const int full = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth));
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < full ? "━" : "─";
  return text;
}

std::string line_of(const measure::ProgressEvent& event) {
  std::string line;
  if (event.steps > 0) line = "[" + std::to_string(event.step) + "/" + std::to_string(event.steps) + "] ";
  line += event.layer;
  line += ": ";
  line += event.phase;
  return line;
}

}  // namespace

LiveProgress::LiveProgress() : terminal_(is_terminal(STDERR_FILENO)) {}

LiveProgress::~LiveProgress() { clear(); }

void LiveProgress::on_progress(const measure::ProgressEvent& event) {
  const std::lock_guard lock(mutex_);
  if (terminal_)
    redraw(event);
  else
    print_once(event);
}

void LiveProgress::redraw(const measure::ProgressEvent& event) {
  std::string line = line_of(event) + "  " + bar(event.fraction);
  if (event.throughput) line += "  " + to_text(*event.throughput);
  if (event.time_left.count() > 0 && event.time_left.count() < 86400) {
    char left[32];
    std::snprintf(left, sizeof left, "  %.0f s left", std::ceil(event.time_left.count()));
    line += left;
  }
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void LiveProgress::print_once(const measure::ProgressEvent& event) {
  const std::string line = line_of(event);
  if (line == last_phase_) return;
  last_phase_ = line;
  std::fprintf(stderr, "%s …\n", line.c_str());
}

void LiveProgress::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace nasdiag::app
