#include "support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace nasdiag::test {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{20};

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Program::Program(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), NASDIAG_PROGRAM);
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = output_.path() / "out";
  const std::string err = output_.path() / "err";
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  const int error = ::posix_spawn(&pid_, NASDIAG_PROGRAM, &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting " NASDIAG_PROGRAM);
}

Program::~Program() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) const { ::kill(pid_, number); }

std::optional<Ended> Program::wait(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(kLook);
  }
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return Ended{.exit_code = code, .out = contents(output_.path() / "out"), .err = err_so_far()};
}

std::string Program::err_so_far() const { return contents(output_.path() / "err"); }

bool Program::says(const std::string& text, std::chrono::milliseconds time) const {
  const auto deadline = Clock::now() + time;
  while (err_so_far().find(text) == std::string::npos) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

Ended run_program(std::vector<std::string> arguments, std::vector<std::string> environment) {
  Program program(std::move(arguments), std::move(environment));
  auto ended = program.wait();
  if (!ended) throw std::runtime_error("the program did not end within a minute: " + program.err_so_far());
  return *ended;
}

}  // namespace nasdiag::test
