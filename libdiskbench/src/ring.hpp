#pragma once

#include <liburing.h>

#include <string>
#include <system_error>

namespace nasdiag::diskbench {

// Owns an io_uring.
class Ring {
 public:
  // Throws std::system_error.
  Ring(unsigned entries, unsigned flags) {
    io_uring_params params{};
    params.flags = flags;
    params.sq_thread_idle = 2000;  // milliseconds
    const int error = io_uring_queue_init_params(entries, &ring_, &params);
    if (error < 0)
      throw std::system_error(-error, std::generic_category(),
                              "io_uring_setup with " + std::to_string(entries) + " entries");
  }
  ~Ring() { io_uring_queue_exit(&ring_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  io_uring* get() { return &ring_; }

 private:
  io_uring ring_{};
};

}  // namespace nasdiag::diskbench
