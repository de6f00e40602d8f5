// Surroundings that forbid something: no io_uring, no locked memory. Each in a child process, which can't
// take the restriction off again.

#include <diskbench/disk_benchmark.hpp>

#include <catch2/catch.hpp>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <support/temp_dir.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>

using namespace nasdiag;
using namespace nasdiag::diskbench;

namespace {

constexpr int kCannotRestrict = 77;

bool has_note(const DiskResult& result, const std::string& code) {
  for (const measure::Note& note : result.notes)
    if (note.code == code) return true;
  return false;
}

// The exit code of a child that runs `work`.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int code = 99;
    try {
      code = work();
    } catch (...) {
      code = 98;
    }
    ::_exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

DiskResult small_random_read(const std::filesystem::path& folder) {
  DiskOptions options{.pattern = Pattern::randread,
                      .block_size = measure::ByteCount::kibibytes(4),
                      .size = measure::ByteCount::mebibytes(4),
                      .runtime = std::chrono::milliseconds(200)};
  measure::NoProgress progress;
  return measure_disk(folder, options, progress, {});
}

// Every call of io_uring_setup fails as in a container with Docker's default profile.
bool forbid_io_uring() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool become_nobody() {
  constexpr uid_t kNobody = 65534;
  return ::geteuid() != 0 || ::setuid(kNobody) == 0;
}

bool become_nobody_without_locked_memory() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  return ::setrlimit(RLIMIT_MEMLOCK, &none) == 0 && become_nobody();
}

}  // namespace

TEST_CASE("where io_uring is forbidden ordinary reads and writes are used, and the result says so") {
  const test::TempDir folder;
  const int code = in_child([&] {
    if (!forbid_io_uring()) return kCannotRestrict;
    const DiskResult result = small_random_read(folder.path());
    return result.engine == Engine::blocking && has_note(result, "io-uring-unavailable") &&
                   result.read->operations > 0
               ? 0
               : 1;
  });
  if (code == kCannotRestrict) {
    WARN("SKIPPED: seccomp can't be used here");
    return;
  }
  CHECK(code == 0);
}

TEST_CASE("too little lockable memory costs the registered buffers and not the measurement") {
  const test::TempDir folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const int code = in_child([&] {
    if (!become_nobody_without_locked_memory()) return kCannotRestrict;
    const DiskResult result = small_random_read(folder.path());
    const bool told = result.engine == Engine::blocking || has_note(result, "engine-limited");
    return told && result.read->operations > 0 ? 0 : 1;
  });
  if (code == kCannotRestrict) {
    WARN("SKIPPED: can't give up privileges here");
    return;
  }
  CHECK(code == 0);
}

TEST_CASE("a folder one may not write to is refused with the reason") {
  const test::TempDir folder;
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const int code = in_child([&] {
    if (!become_nobody()) return kCannotRestrict;
    try {
      small_random_read(folder.path());
      return 1;
    } catch (const std::system_error& error) {
      return error.code() == std::errc::permission_denied ? 0 : 2;
    }
  });
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  if (code == kCannotRestrict) {
    WARN("SKIPPED: can't give up privileges here");
    return;
  }
  CHECK(code == 0);
}
