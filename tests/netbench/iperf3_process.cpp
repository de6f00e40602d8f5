#include "iperf3_process.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace nasdiag::tests {

namespace {

std::string new_file() {
  std::string name = (std::filesystem::temp_directory_path() / "nasdiag-iperf3-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) throw std::runtime_error("mkstemp");
  ::close(fd);
  return name;
}

std::vector<std::string> server_arguments(std::uint16_t port, std::vector<std::string> more) {
  std::vector<std::string> all{"-s", "-p", std::to_string(port), "--forceflush"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

bool iperf3_installed() { return std::system("iperf3 --version > /dev/null 2>&1") == 0; }

std::string iperf3_version() {
  Iperf3 program({"--version"});
  program.wait();
  return program.output();
}

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no free port");
  }
  ::close(fd);
  return ntohs(address.sin6_port);
}

Iperf3::Iperf3(std::vector<std::string> arguments) : file_(new_file()) {
  std::vector<char*> words;
  std::string name = "iperf3";
  words.push_back(name.data());
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const int fd = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::execvp("iperf3", words.data());
    ::_exit(127);
  }
  ::close(fd);
}

Iperf3::~Iperf3() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove(file_);
}

void Iperf3::kill(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

int Iperf3::wait(std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -1;
}

std::string Iperf3::output() const {
  std::ifstream in(file_);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Iperf3Server::Iperf3Server(std::vector<std::string> more)
    : port_(free_port()), process_(server_arguments(port_, std::move(more))) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (process_.output().find("Server listening") == std::string::npos) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("iperf3 -s doesn't start: " + process_.output());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace nasdiag::tests
