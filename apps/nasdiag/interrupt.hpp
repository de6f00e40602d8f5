#pragma once

// Ctrl-C, SIGTERM and SIGHUP become a stop request; a second one ends the program at once.

#include <stop_token>
#include <thread>

namespace nasdiag::app {

// At most one at a time. Make it before measuring; children inherit neither handlers (exec resets them) nor a
// changed signal mask.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool interrupted() const { return source_.stop_requested(); }

 private:
  void wait_for_signal();

  std::stop_source source_;
  int event_ = -1;
  std::thread waiter_;
};

}  // namespace nasdiag::app
