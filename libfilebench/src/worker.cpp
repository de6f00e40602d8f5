// The worker process: takes commands from its parent until that finishes or dies, and removes what it made.

#include "channel.hpp"
#include "messages.hpp"
#include "resolve.hpp"
#include "worker_arguments.hpp"
#include "worker_state.hpp"

#include <filebench/worker.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace nasdiag::filebench {

namespace {

// A worker whose parent is gone ends after so long even if the mount never answers again; whatever is left of
// its folder, the next run finds.
constexpr unsigned kOrphanSeconds = 600;

// Commands in the order they came; the end of the parent wakes up whoever waits.
class Inbox {
 public:
  void put(std::string message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  std::optional<std::string> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !messages_.empty(); });
    if (messages_.empty()) return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  bool closed_ = false;
};

void listen_to_parent(Channel& channel, Inbox& inbox, SharedProgress& progress) {
  std::string message;
  while (true) {
    const auto received = channel.receive(message, std::chrono::hours(1));
    if (received == Channel::Received::message) inbox.put(message);
    if (received != Channel::Received::closed) continue;
    progress.stop = true;
    ::alarm(kOrphanSeconds);
    inbox.close();
    return;
  }
}

bool on_one_file_system(const Resolved& a, const Resolved& b) {
  return a.error == 0 && b.error == 0 && a.device_major == b.device_major && a.device_minor == b.device_minor;
}

Opened open_folders(WorkerState& state, const OpenFolders& folders) {
  Opened opened;
  state.folders = folders;
  state.progress.enter(Activity::stat);
  opened.resolved = resolve(folders.mount_folder);
  opened.error = opened.resolved.error;
  if (opened.error != 0) opened.context = "opening the folder " + folders.mount_folder.string();
  if (opened.error == 0 && !opened.resolved.directory) {
    opened.error = ENOTDIR;
    opened.context = folders.mount_folder.string();
  }
  if (opened.error != 0) return opened;
  try {
    state.progress.enter(Activity::list);
    opened.leftovers_removed = measure::remove_stale_scratch_folders(folders.mount_folder);
    state.progress.enter(Activity::make_folder);
    state.mount.emplace(folders.mount_folder);
    if (!folders.local_folder.empty()) {
      opened.leftovers_removed += measure::remove_stale_scratch_folders(folders.local_folder);
      state.local.emplace(folders.local_folder);
      opened.local_scratch = state.local->path();
      opened.one_file_system = on_one_file_system(opened.resolved, resolve(opened.local_scratch));
    }
  } catch (const std::system_error& error) {
    opened.error = error.code().value();
    opened.context = error.what();
    const std::string reason = ": " + error.code().message();
    if (opened.context.ends_with(reason)) opened.context.resize(opened.context.size() - reason.size());
  }
  state.progress.enter(Activity::idle);
  return opened;
}

template <class Options>
Options options_from(Unpacker& unpacker) {
  Options options;
  unpacker(options);
  return options;
}

std::string answer(WorkerState& state, Command command, Unpacker& rest) {
  switch (command) {
    case Command::resolve: {
      state.progress.enter(Activity::stat);
      return packed(resolve(options_from<Resolve>(rest).path));
    }
    case Command::open_folders:
      return packed(open_folders(state, options_from<OpenFolders>(rest)));
    case Command::write:
      return packed(run_write(state, options_from<WriteOptions>(rest)));
    case Command::read:
      return packed(run_read(state, options_from<ReadOptions>(rest)));
    case Command::copy_to:
      return packed(run_copy_to(state, options_from<CopyOptions>(rest)));
    case Command::copy_from:
      return packed(run_copy_from(state, options_from<CopyOptions>(rest)));
    case Command::requests:
      return packed(run_requests(state, options_from<SweepOptions>(rest)));
    case Command::small_files:
      return packed(run_small_files(state, options_from<SmallFilesOptions>(rest)));
    case Command::listing:
      return packed(run_listing(state, options_from<ListingOptions>(rest)));
    case Command::commits:
      return packed(run_commits(state, options_from<CommitOptions>(rest)));
    case Command::finish:
      break;
  }
  return {};
}

// False: it is time to end.
bool serve(WorkerState& state, Channel& channel, const std::string& message) {
  Unpacker unpacker(message);
  Command command = Command::finish;
  unpacker(command);
  if (command == Command::finish) return false;
  state.progress.reset();
  const std::string reply = answer(state, command, unpacker);
  state.progress.activity = Activity::idle;
  return channel.send(reply);
}

int work(Channel channel, SharedMapping shared) {
  Inbox inbox;
  std::thread listener([&] { listen_to_parent(channel, inbox, *shared); });
  // Never waited for: it ends with the process.
  listener.detach();
  WorkerState state(*shared);
  try {
    for (auto message = inbox.take(); message && serve(state, channel, *message);) message = inbox.take();
  } catch (const std::exception&) {
    // Out of memory or of threads: the parent sees the end of the connection. The folders go below.
  }
  state.progress.enter(Activity::remove);
  state.mount.reset();
  state.local.reset();
  ::_exit(0);  // the listener still uses what main would destroy
}

}  // namespace

std::optional<int> run_worker_if_asked(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) != kWorkerArgument) return std::nullopt;
  ::prctl(PR_SET_NAME, "nasdiag-file");
  std::signal(SIGPIPE, SIG_IGN);
  if (::chdir("/") != 0) return 1;
  try {
    SharedMapping shared{Descriptor(kMemoryDescriptor)};
    return work(Channel(Descriptor(kSocketDescriptor)), std::move(shared));
  } catch (const std::system_error&) {
    return 1;
  }
}

}  // namespace nasdiag::filebench
