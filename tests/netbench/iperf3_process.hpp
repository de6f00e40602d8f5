#pragma once

// Debian's iperf3 as a child process.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nasdiag::tests {

bool iperf3_installed();
// What `iperf3 --version` prints.
std::string iperf3_version();
std::uint16_t free_port();

class Iperf3 {
 public:
  // Arguments after "iperf3". Output goes to a file of its own.
  explicit Iperf3(std::vector<std::string> arguments);
  ~Iperf3();  // kills and reaps what still runs
  Iperf3(const Iperf3&) = delete;
  Iperf3& operator=(const Iperf3&) = delete;

  void kill(int signal) const;
  // Exit code, or -1 if it didn't end in time.
  int wait(std::chrono::seconds time = std::chrono::seconds(20));
  std::string output() const;

 private:
  pid_t pid_ = -1;
  std::string file_;
};

// A server on a free port that is ready when the constructor returns.
class Iperf3Server {
 public:
  explicit Iperf3Server(std::vector<std::string> more = {});
  std::uint16_t port() const { return port_; }
  Iperf3& process() { return process_; }

 private:
  std::uint16_t port_;
  Iperf3 process_;
};

}  // namespace nasdiag::tests
