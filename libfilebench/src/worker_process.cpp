#include "worker_process.hpp"

#include "worker_arguments.hpp"

#include <filebench/error.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace nasdiag::filebench {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{100};
// After a stop request the worker gets so long to answer with its figures.
constexpr milliseconds kStopPatience{700};
constexpr milliseconds kSilenceBeforeAsking{1000};

// posix_spawn's attributes and actions, freed on every way out.
struct SpawnSetup {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSetup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

// A worker that is left behind must not hold the terminal, a pipe or anything else of ours open.
void isolate(SpawnSetup& setup, int socket, int memory) {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&setup.actions, standard, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, socket, kSocketDescriptor);
  ::posix_spawn_file_actions_adddup2(&setup.actions, memory, kMemoryDescriptor);
  ::posix_spawn_file_actions_addclosefrom_np(&setup.actions, kMemoryDescriptor + 1);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&setup.attributes, &all);
  ::posix_spawnattr_setsigmask(&setup.attributes, &none);
  // A process group of its own: Ctrl-C is for the parent, which asks the worker to clean up.
  ::posix_spawnattr_setpgroup(&setup.attributes, 0);
  ::posix_spawnattr_setflags(&setup.attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

}  // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& program)
    : shared_(SharedMapping::create()), channel_(Descriptor()) {
  std::pair<Descriptor, Descriptor> ends = Channel::make_pair();
  channel_ = Channel(std::move(ends.first));
  start(program, ends.second);
}

void WorkerProcess::start(const std::filesystem::path& program, const Descriptor& socket) {
  // Numbers above those that the worker gets them under, so that no dup2 overwrites the other's source.
  const Descriptor high_socket(::fcntl(socket.get(), F_DUPFD_CLOEXEC, kMemoryDescriptor + 1));
  const Descriptor high_memory(::fcntl(shared_.descriptor(), F_DUPFD_CLOEXEC, kMemoryDescriptor + 1));
  if (!high_socket.valid() || !high_memory.valid())
    throw std::system_error(errno, std::generic_category(), "starting the file worker");
  SpawnSetup setup;
  isolate(setup, high_socket.get(), high_memory.get());
  std::string name = "nasdiag";
  std::string argument(kWorkerArgument);
  std::array<char*, 3> arguments{name.data(), argument.data(), nullptr};
  const int error =
      ::posix_spawn(&pid_, program.c_str(), &setup.actions, &setup.attributes, arguments.data(), environ);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), "starting the file worker " + program.string());
}

WorkerProcess::~WorkerProcess() {
  shared_->stop = true;
  channel_.close();  // the worker sees the end and cleans up, now or when the mount answers again
  reap();
}

bool WorkerProcess::reap() {
  if (!reaped_) reaped_ = ::waitpid(pid_, nullptr, WNOHANG) != 0;
  return reaped_;
}

WorkerProcess::Ending WorkerProcess::ask(Command command, const std::string& packed_value, const Watch& watch,
                                         std::string& reply) {
  Packer packer;
  packer(command);
  if (!channel_.send(packer.bytes() + packed_value)) return Ending::died;
  std::int64_t last_beat = -1;
  auto alive_at = Clock::now();
  auto ask_life_at = alive_at;
  std::optional<Clock::time_point> stop_asked;
  while (true) {
    const auto received = channel_.receive(reply, kTick);
    if (received == Channel::Received::message) return Ending::answered;
    if (received == Channel::Received::closed) return Ending::died;
    const auto now = Clock::now();
    if (watch.on_tick) watch.on_tick();
    if (watch.stop.stop_requested() && !stop_asked) {
      shared_->stop = true;
      stop_asked = now;
    }
    if (stop_asked && now - *stop_asked > kStopPatience) return Ending::stopped;
    const std::int64_t beat = shared_->heartbeat;
    const bool computing = shared_->activity == Activity::idle;  // not in a call on the mount
    if (beat != last_beat || computing) {
      last_beat = beat;
      alive_at = ask_life_at = now;
    } else if (watch.sign_of_life && now - ask_life_at > kSilenceBeforeAsking) {
      ask_life_at = now;
      if (watch.sign_of_life()) alive_at = now;
    }
    if (now - alive_at > watch.stall_limit) return Ending::hung;
  }
}

void WorkerProcess::finish(milliseconds at_most) {
  Packer packer;
  packer(Command::finish);
  const auto deadline = Clock::now() + at_most;
  if (!channel_.send(packer.bytes())) return;
  std::string ignored;
  while (Clock::now() < deadline && channel_.receive(ignored, kTick) != Channel::Received::closed) {
  }
  while (!reap() && Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(2));
}

std::string WorkerProcess::describe_state() const {
  const std::string folder = "/proc/" + std::to_string(pid_);
  std::ifstream stat_file(folder + "/stat");
  std::stringstream whole;
  whole << stat_file.rdbuf();
  const std::string text = whole.str();
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return "the worker is gone";
  std::string state = "worker " + std::to_string(pid_) + " in state " + text.substr(name_end + 2, 1);
  std::ifstream wait_file(folder + "/wchan");
  std::string place;
  if (wait_file >> place && place != "0") state += ", waiting in " + place;
  return state;
}

}  // namespace nasdiag::filebench
