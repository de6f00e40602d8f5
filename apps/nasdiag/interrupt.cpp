#include "nasdiag/interrupt.hpp"

#include "nasdiag/command_line.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

namespace nasdiag::app {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::uint64_t kSignalled = 1;
constexpr std::uint64_t kFinished = 1U << 20U;

// A handler can reach nothing but statics.
std::atomic<int> signal_event{-1};
std::atomic<int> signals_seen{0};

extern "C" void on_signal(int) {
  const int saved = errno;
  if (signals_seen.fetch_add(1) > 0) ::_exit(kInterrupted);
  const std::uint64_t one = kSignalled;
  [[maybe_unused]] const ssize_t written = ::write(signal_event.load(), &one, sizeof one);
  errno = saved;
}

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  signals_seen = 0;
  signal_event = event_;
  waiter_ = std::thread([this] { wait_for_signal(); });
  handle_with(on_signal);
}

Interrupt::~Interrupt() {
  handle_with(SIG_DFL);
  const std::uint64_t finished = kFinished;
  [[maybe_unused]] const ssize_t written = ::write(event_, &finished, sizeof finished);
  waiter_.join();
  signal_event = -1;
  ::close(event_);
}

void Interrupt::wait_for_signal() {
  while (true) {
    std::uint64_t value = 0;
    const ssize_t n = ::read(event_, &value, sizeof value);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || value >= kFinished) return;
    source_.request_stop();
  }
}

}  // namespace nasdiag::app
