// What a NAS does to a running experiment: it stops answering, it goes away, it fills up.

#include "filebench/sshfs_mount.hpp"

#include <filebench/error.hpp>
#include <filebench/mount.hpp>
#include <filebench/transfer_benchmark.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <system_error>
#include <thread>

namespace fb = nasdiag::filebench;
namespace fs = std::filesystem;
using fb::ByteCount;
using fb::Outcome;
using fb::Seconds;
using nasdiag::test::SmallDisk;
using nasdiag::test::SshfsMount;
using nasdiag::test::TempDir;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

// Does something once, when the first data has moved.
class WhenMoving final : public nasdiag::measure::ProgressObserver {
 public:
  explicit WhenMoving(std::function<void()> act) : act_(std::move(act)) {}
  void on_progress(const nasdiag::measure::ProgressEvent& event) override {
    if (!event.throughput || event.throughput->bits_per_second() <= 0 || !act_) return;
    std::exchange(act_, nullptr)();
  }

 private:
  std::function<void()> act_;
};

// A busy machine may leave a healthy worker waiting for seconds: only those tests that need a hang are
// impatient.
constexpr auto kImpatient = 2000ms;

fb::SessionOptions options_for(const fs::path& folder, std::chrono::milliseconds stall_limit = 20s) {
  fb::SessionOptions options;
  options.mount_folder = folder;
  options.stall_limit = stall_limit;
  options.worker_program = NASDIAG_WORKER;
  return options;
}

constexpr fb::WriteOptions kLongWrite{.size = ByteCount::gibibytes(16), .time_limit = Seconds(30)};

bool eventually_empty(const fs::path& folder) {
  for (int i = 0; i < 500; ++i) {
    if (fs::is_empty(folder)) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

nasdiag::measure::NoProgress quiet;

}  // namespace

#define NEEDS_SSHFS()                              \
  if (const auto reason = SshfsMount::why_not()) { \
    WARN("SKIPPED: " + *reason);                   \
    return;                                        \
  }

TEST_CASE("a copy within the mount is not measured, because it need not cross the network") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  fs::create_directory(mount.path() / "beside");
  auto options = options_for(mount.path());
  options.local_folder = mount.path() / "beside";
  fb::FileSession session(options);
  for (const auto& result :
       {session.measure_copy_to({}, quiet, {}), session.measure_copy_from({}, quiet, {})}) {
    CHECK(result.outcome == Outcome::skipped);
    CHECK(result.failure.find("is on the mount itself") != std::string::npos);
    CHECK(result.failure.find("--local") != std::string::npos);
  }
}

TEST_CASE("a server that stops in the middle of a write is reported with the figures so far") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  const auto start = Clock::now();
  {
    fb::FileSession session(options_for(mount.path(), kImpatient));
    WhenMoving stop_server([&] { ::kill(mount.server(), SIGSTOP); });
    const auto result = session.measure_write(kLongWrite, stop_server, {});
    CHECK(result.outcome == Outcome::hung);
    CHECK(result.failure.find("The mount stopped answering after ") == 0);
    CHECK(result.amount.bytes() > 0);
    CHECK(total(result.samples) == result.amount);
    CHECK(result.rate.bits_per_second() == 0);

    const auto next = session.measure_commits({}, quiet, {});
    CHECK(next.outcome == Outcome::skipped);
    CHECK(next.failure.find("stopped answering") != std::string::npos);
  }
  CHECK(seconds_since(start) < 15);
  CHECK_FALSE(fs::is_empty(mount.served()));
  // The worker that was left behind cleans up when the mount answers again.
  ::kill(mount.server(), SIGCONT);
  CHECK(eventually_empty(mount.served()));
}

TEST_CASE("a stop by the user gets through even while the mount hangs") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  std::stop_source stop;
  Clock::time_point asked;
  {
    auto options = options_for(mount.path());
    options.stall_limit = 60s;
    fb::FileSession session(options);
    std::jthread user;
    WhenMoving stop_server([&] {
      ::kill(mount.server(), SIGSTOP);
      user = std::jthread([&] {
        std::this_thread::sleep_for(500ms);
        asked = Clock::now();
        stop.request_stop();
      });
    });
    const auto result = session.measure_write(kLongWrite, stop_server, stop.get_token());
    CHECK(result.outcome == Outcome::stopped);
    CHECK(result.amount.bytes() > 0);
  }
  CHECK(seconds_since(asked) < 3);
}

TEST_CASE("a stop while all is well ends at once and leaves nothing behind") {
  const TempDir folder;
  std::stop_source stop;
  Clock::time_point asked;
  {
    fb::FileSession session(options_for(folder.path()));
    WhenMoving user([&] {
      asked = Clock::now();
      stop.request_stop();
    });
    const auto result = session.measure_write(kLongWrite, user, stop.get_token());
    CHECK(result.outcome == Outcome::stopped);
    CHECK(result.amount.bytes() > 0);
    CHECK(result.rate.bits_per_second() == 0);
  }
  CHECK(seconds_since(asked) < 5);
  CHECK(eventually_empty(folder.path()));
}

TEST_CASE("a mount whose program is killed in the middle of a write is one sentence") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  fb::FileSession session(options_for(mount.path()));
  WhenMoving kill_client([&] { ::kill(mount.client(), SIGKILL); });
  const auto result = session.measure_write(kLongWrite, kill_client, {});
  CHECK(result.outcome == Outcome::failed);
  CAPTURE(result.failure);
  CHECK((result.error_number == ENOTCONN || result.error_number == ECONNABORTED));
  CHECK(result.failure.find(" on the mount failed after ") != std::string::npos);
}

TEST_CASE("a server that dies in the middle of a read is one sentence") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  fb::FileSession session(options_for(mount.path()));
  REQUIRE(
      session.measure_write({.size = ByteCount::gibibytes(1), .time_limit = Seconds(8)}, quiet, {}).outcome ==
      Outcome::ok);
  WhenMoving kill_server([&] { ::kill(mount.server(), SIGKILL); });
  fb::ReadOptions options;
  options.repeats = 20;  // so that it is surely still reading
  const auto result = session.measure_read(options, kill_server, {});
  CAPTURE(result.failure);
  CHECK((result.outcome == Outcome::failed || result.outcome == Outcome::hung));
  CHECK_FALSE(result.failure.empty());
}

TEST_CASE("a disk that fills up ends the write with the figures so far") {
  const SmallDisk disk("1g");
  if (!disk.mounted()) {
    WARN("SKIPPED: needs root to mount a small disk");
    return;
  }
  const auto fills_up = [&](const fs::path& folder) {
    fb::FileSession session(options_for(folder));
    WhenMoving fill([&] { disk.fill(); });
    return session.measure_write({.size = ByteCount::mebibytes(600), .piece_size = ByteCount::kibibytes(16)},
                                 fill, {});
  };
  SECTION("directly") {
    const auto result = fills_up(disk.path());
    CAPTURE(result.failure);
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.error_number == ENOSPC);
    CHECK(result.amount.bytes() > 0);
    CHECK(result.failure.find("make room") != std::string::npos);
  }
  SECTION("through sshfs, where it is an input/output error") {
    NEEDS_SSHFS();
    const SshfsMount mount(disk.path());
    const auto result = fills_up(mount.path());
    CAPTURE(result.failure);
    CHECK(result.outcome == Outcome::failed);
    CHECK((result.error_number == EIO || result.error_number == ENOSPC));
    CHECK(result.amount.bytes() > 0);
  }
}

TEST_CASE("where the reserve leaves no room a quarter of it is written, and nothing on a full disk") {
  const SmallDisk disk("100m");
  if (!disk.mounted()) {
    WARN("SKIPPED: needs root to mount a small disk");
    return;
  }
  {
    fb::FileSession session(options_for(disk.path()));
    const auto scarce = session.measure_write({}, quiet, {});
    CHECK(scarce.outcome == Outcome::ok);
    CHECK(scarce.amount.bytes() > 0);
    CHECK(scarce.amount <= ByteCount::mebibytes(25));
    CHECK(std::any_of(scarce.notes.begin(), scarce.notes.end(),
                      [](const auto& note) { return note.code == "less-space"; }));
  }
  fb::FileSession session(options_for(disk.path()));
  disk.fill();
  const auto result = session.measure_write({}, quiet, {});
  CHECK(result.outcome == Outcome::failed);
  CHECK(result.error_number == ENOSPC);
  CHECK(result.amount.bytes() == 0);
}

TEST_CASE("folders that can't be measured are refused with the reason") {
  const TempDir folder;
  const auto refused = [](const fb::SessionOptions& options) {
    try {
      const fb::FileSession session(options);
    } catch (const std::system_error& error) {
      return error.code();
    }
    return std::error_code();
  };
  CHECK(refused(options_for(folder.path() / "missing")) == std::errc::no_such_file_or_directory);
  CHECK(refused(options_for("/proc/self/status")) == std::errc::not_a_directory);
  CHECK(refused(options_for("/proc")).value() != 0);
  auto options = options_for(folder.path());
  options.worker_program = "/bin/true";
  CHECK(refused(options) == fb::Errc::worker_not_started);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("what couldn't be opened says what to do, if there is something") {
  const auto told = [](int error) {
    return fb::sentence_of({error, std::generic_category(), "making a temporary folder in /nas"});
  };
  CHECK(told(EROFS) ==
        "making a temporary folder in /nas: Read-only file system. It is mounted or exported read-only: "
        "choose a folder that can be written to.");
  CHECK(told(ENOENT) == "making a temporary folder in /nas: No such file or directory");
  CHECK(fb::sentence_of({make_error_code(fb::Errc::mount_silent), "x"}).find("x: ") == 0);
}

TEST_CASE("a dead mount is refused within the time limit, and still described") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  ::kill(mount.server(), SIGSTOP);
  const auto start = Clock::now();
  CHECK_THROWS_AS(fb::FileSession(options_for(mount.path(), kImpatient)), std::system_error);
  CHECK(seconds_since(start) < 10);
  const auto described =
      fb::find_mount(mount.path(), {.time_limit = 1000ms, .worker_program = NASDIAG_WORKER});
  CHECK(described.kind == fb::MountKind::sshfs);
  CHECK(described.server == "nas");
  REQUIRE_FALSE(described.suspicious.empty());
  CHECK(described.suspicious.back().code == "mount-silent");
}

TEST_CASE("a living sshfs mount is measured, described, and its program's CPU is counted") {
  NEEDS_SSHFS();
  const SshfsMount mount;
  const auto described = fb::find_mount(mount.path() / ".", {.worker_program = NASDIAG_WORKER});
  CHECK(described.kind == fb::MountKind::sshfs);
  CHECK(described.mount_point == mount.path());
  REQUIRE_FALSE(described.processes.empty());
  CHECK(described.processes.front().pid == mount.client());
  CHECK(described.option("ssh_command") != nullptr);  // only its command line tells

  fb::FileSession session(options_for(mount.path()));
  const auto written = session.measure_write({.size = ByteCount::mebibytes(64)}, quiet, {});
  CHECK(written.failure == "");
  const auto read = session.measure_read({}, quiet, {});
  CHECK(read.failure == "");
  REQUIRE(read.hash);
  CHECK(read.hash->verdict == fb::HashVerdict::match);
  CHECK(read.cache == fb::CacheState::server_warm);
  REQUIRE(read.counters);
  const auto& processes = read.counters->processes;
  CHECK(std::any_of(processes.begin(), processes.end(),
                    [&](const auto& process) { return process.pid == mount.client(); }));
}
