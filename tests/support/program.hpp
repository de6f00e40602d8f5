#pragma once

// The built program as a child process, its output kept.

#include "support/temp_dir.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::test {

struct Ended {
  int exit_code = -1;  // 128 + signal if one killed it
  std::string out;
  std::string err;
};

class Program {
 public:
  // `environment` is added to this process's own: "HOME=/x".
  explicit Program(std::vector<std::string> arguments, std::vector<std::string> environment = {});
  ~Program();  // kills what still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;
  // Nothing if it still runs by then.
  std::optional<Ended> wait(std::chrono::milliseconds time = std::chrono::seconds(60));
  std::string err_so_far() const;
  // Waits until stderr holds this text.
  bool says(const std::string& text, std::chrono::milliseconds time = std::chrono::seconds(20)) const;

 private:
  TempDir output_;
  pid_t pid_ = -1;
};

// Runs it to its end, a minute at most.
Ended run_program(std::vector<std::string> arguments, std::vector<std::string> environment = {});

}  // namespace nasdiag::test
