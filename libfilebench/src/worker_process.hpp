#pragma once

// The parent's end of a worker: starts it, asks it, watches it, and never waits for it longer than it wants
// to.

#include "channel.hpp"
#include "messages.hpp"
#include "shared_progress.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace nasdiag::filebench {

class WorkerProcess {
 public:
  enum class Ending {
    answered,
    hung,     // no sign of life within the stall limit
    stopped,  // by the user, and the worker didn't answer in time
    died
  };
  struct Watch {
    std::chrono::milliseconds stall_limit{10'000};
    std::stop_token stop;
    std::function<void()> on_tick;       // every 100 ms
    std::function<bool()> sign_of_life;  // asked about once a second while the worker is silent
  };

  // Throws std::system_error.
  explicit WorkerProcess(const std::filesystem::path& program);
  // Lets the worker clean up and end by itself, and doesn't wait.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends a command and waits for its answer. After an ending other than `answered` the worker must not be
  // asked again.
  Ending ask(Command command, const std::string& packed_value, const Watch& watch, std::string& reply);
  // Has the worker remove its folders and waits for its end at most so long.
  void finish(std::chrono::milliseconds at_most);

  SharedProgress& progress() { return *shared_; }
  pid_t pid() const { return pid_; }
  // "state D in rpc_wait_bit_killable", as far as the kernel tells.
  std::string describe_state() const;

 private:
  void start(const std::filesystem::path& program, const Descriptor& socket);
  bool reap();

  SharedMapping shared_;
  Channel channel_;
  pid_t pid_ = -1;
  bool reaped_ = false;
};

}  // namespace nasdiag::filebench
