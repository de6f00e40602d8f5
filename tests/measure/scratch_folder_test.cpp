#include "support/temp_dir.hpp"

#include <measure/scratch_folder.hpp>

#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

using namespace nasdiag::measure;
using nasdiag::test::TempDir;
namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string machine_id() { return line_of("/etc/machine-id"); }
std::string boot_id() { return line_of("/proc/sys/kernel/random/boot_id"); }

struct Owner {
  std::string machine = machine_id();
  std::string boot = boot_id();
  std::string pid_namespace = fs::read_symlink("/proc/self/ns/pid").string();
  std::string pid = "4194305";  // above the kernel's largest: no such process
  std::string start = "1";
};

std::string owner_text(const Owner& owner) {
  return "machine " + owner.machine + "\nboot " + owner.boot + "\nnamespace " + owner.pid_namespace +
         "\npid " + owner.pid + "\nstart " + owner.start + "\n";
}

// A folder with a scratch name and one file, owned by whoever the text says.
fs::path made_up_leftover(const fs::path& parent, const std::string& name, const std::string& owner) {
  fs::path folder = parent / name;
  fs::create_directory(folder);
  write_file(folder / "owner", owner);
  write_file(folder / "payload", "x");
  return folder;
}

// What a killed process left: a child that made a scratch folder and died without its destructor.
fs::path leftover_of_killed_process(const fs::path& parent) {
  const pid_t child = ::fork();
  if (child == 0) {
    ScratchFolder* leaked = new ScratchFolder(parent);
    fs::create_directories(leaked->path() / "deep" / "er");
    write_file(leaked->path() / "deep" / "er" / "payload", "x");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  return fs::directory_iterator(parent)->path();
}

constexpr const char* kName = ".nasdiag-abcdefghijkl";

}  // namespace

TEST_CASE("a scratch folder is private, named .nasdiag-… and gone with everything in it") {
  const TempDir parent;
  fs::path path;
  {
    const ScratchFolder folder(parent.path());
    path = folder.path();
    CHECK(path.parent_path() == parent.path());
    CHECK(path.filename().string().starts_with(".nasdiag-"));
    CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    write_file(path / "a" / "b" / "payload", "x");
  }
  CHECK_FALSE(fs::exists(path));
  CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("two scratch folders under one parent are different") {
  const TempDir parent;
  const ScratchFolder one(parent.path());
  const ScratchFolder other(parent.path());
  CHECK(one.path() != other.path());
}

TEST_CASE("a moved scratch folder is removed once, by its last owner") {
  const TempDir parent;
  {
    ScratchFolder first(parent.path());
    const fs::path path = first.path();
    {
      const ScratchFolder second(std::move(first));
      CHECK(second.path() == path);
      CHECK(fs::exists(path));
    }
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("a scratch folder where none can be made says where") {
  try {
    const ScratchFolder folder("/proc/no-such-folder");
    FAIL("made a folder in /proc");
  } catch (const std::system_error& error) {
    CHECK(std::string(error.what()).find("/proc/no-such-folder") != std::string::npos);
  }
}

TEST_CASE("removal leaves what a symbolic link in the folder points to") {
  const TempDir parent;
  const TempDir elsewhere;
  write_file(elsewhere.path() / "precious", "x");
  {
    const ScratchFolder folder(parent.path());
    fs::create_directory_symlink(elsewhere.path(), folder.path() / "link");
  }
  CHECK(fs::exists(elsewhere.path() / "precious"));
}

TEST_CASE("what a killed process left is removed") {
  const TempDir parent;
  const fs::path leftover = leftover_of_killed_process(parent.path());
  REQUIRE(fs::exists(leftover / "deep" / "er" / "payload"));
  CHECK(remove_stale_scratch_folders(parent.path()) == 1);
  CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("what an earlier boot of this machine left is removed") {
  if (machine_id().empty()) {
    WARN("SKIPPED: this machine has no machine-id");
    return;
  }
  const TempDir parent;
  made_up_leftover(parent.path(), kName, owner_text({.boot = "another-boot", .pid = "1"}));
  CHECK(remove_stale_scratch_folders(parent.path()) == 1);
  CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("a leftover is removed on a machine without a name, too") {
  const TempDir parent;
  made_up_leftover(parent.path(), kName, owner_text({.machine = ""}));
  CHECK(remove_stale_scratch_folders(parent.path()) == 1);
}

TEST_CASE("a folder that can't be emptied keeps its owner, so that a later run finds it") {
  const TempDir parent;
  const TempDir elsewhere;
  const fs::path leftover = made_up_leftover(parent.path(), kName, owner_text({}));
  fs::create_directory(leftover / "busy");
  if (::mount(elsewhere.path().c_str(), (leftover / "busy").c_str(), nullptr, MS_BIND, nullptr) != 0) {
    WARN("SKIPPED: mounting needs root");
    return;
  }
  CHECK(remove_stale_scratch_folders(parent.path()) == 0);
  CHECK(fs::exists(leftover / "owner"));
  REQUIRE(::umount((leftover / "busy").c_str()) == 0);
  CHECK(remove_stale_scratch_folders(parent.path()) == 1);
}

TEST_CASE("a process number used again by another process doesn't protect a leftover") {
  const TempDir parent;
  // Process 1 lives, but did not start at tick 987654321098.
  made_up_leftover(parent.path(), kName, owner_text({.pid = "1", .start = "987654321098"}));
  CHECK(remove_stale_scratch_folders(parent.path()) == 1);
}

TEST_CASE("the folder of a living process stays") {
  const TempDir parent;
  SECTION("of this one") {
    const ScratchFolder own(parent.path());
    CHECK(remove_stale_scratch_folders(parent.path()) == 0);
    CHECK(fs::exists(own.path()));
  }
  SECTION("of another one") {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const ScratchFolder folder(parent.path());
      [[maybe_unused]] const auto written = ::write(ready[1], "x", 1);
      while (true) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    CHECK(remove_stale_scratch_folders(parent.path()) == 0);
    CHECK_FALSE(fs::is_empty(parent.path()));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(remove_stale_scratch_folders(parent.path()) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
}

TEST_CASE("what isn't a leftover of this machine stays") {
  const TempDir parent;
  const std::string dead_here = owner_text({});
  fs::path kept;
  SECTION("another machine's") {
    kept = made_up_leftover(parent.path(), kName,
                            owner_text({.machine = "another-machine", .boot = "another-boot"}));
  }
  SECTION("one of a machine without a name") {
    kept = made_up_leftover(parent.path(), kName, owner_text({.machine = "", .boot = "another-boot"}));
  }
  SECTION("one of another container, whose processes can't be seen") {
    kept = made_up_leftover(parent.path(), kName, owner_text({.pid_namespace = "pid:[1]"}));
  }
  SECTION("a folder without an owner file") {
    kept = parent.path() / kName;
    fs::create_directory(kept);
  }
  SECTION("a folder with an unreadable owner file") {
    kept = made_up_leftover(parent.path(), kName, "something else altogether");
  }
  SECTION("a folder with a process number that is none") {
    kept = made_up_leftover(parent.path(), kName, owner_text({.pid = "-7"}));
  }
  SECTION("a folder whose name is too short") {
    kept = made_up_leftover(parent.path(), ".nasdiag-abc", dead_here);
  }
  SECTION("a folder whose name has other letters") {
    kept = made_up_leftover(parent.path(), ".nasdiag-ABCDEFGHIJKL", dead_here);
  }
  SECTION("a folder with another name") { kept = made_up_leftover(parent.path(), "photos", dead_here); }
  SECTION("a file with a scratch name") {
    kept = parent.path() / kName;
    write_file(kept, "x");
  }
  SECTION("a folder whose owner file is a symbolic link") {
    kept = parent.path() / kName;
    fs::create_directory(kept);
    write_file(parent.path() / "elsewhere", dead_here);
    fs::create_symlink(parent.path() / "elsewhere", kept / "owner");
  }
  CHECK(remove_stale_scratch_folders(parent.path()) == 0);
  CHECK(fs::exists(kept));
}

TEST_CASE("a symbolic link with a scratch name stays, and so does what it points to") {
  const TempDir parent;
  const TempDir elsewhere;
  const fs::path target = made_up_leftover(elsewhere.path(), "photos", owner_text({}));
  fs::create_directory_symlink(target, parent.path() / kName);
  CHECK(remove_stale_scratch_folders(parent.path()) == 0);
  CHECK(fs::exists(target / "payload"));
  CHECK(fs::is_symlink(parent.path() / kName));
}

TEST_CASE("a leftover of another user stays") {
  if (::geteuid() != 0) {
    WARN("SKIPPED: giving a folder to another user needs root");
    return;
  }
  const TempDir parent;
  const fs::path kept = made_up_leftover(parent.path(), kName, owner_text({}));
  REQUIRE(::chown(kept.c_str(), 65534, 65534) == 0);
  CHECK(remove_stale_scratch_folders(parent.path()) == 0);
  CHECK(fs::exists(kept));
}

TEST_CASE("cleaning a folder that isn't there does nothing") {
  CHECK(remove_stale_scratch_folders("/no/such/folder") == 0);
}

TEST_CASE(
    "the reserve is 5 % of the file system, at least 256 MiB, at most 10 GiB and three quarters of what is "
    "free") {
  const ByteCount gib = ByteCount::gibibytes(1);
  CHECK(writable_within_reserve(gib * 100, gib * 50) == gib * 45);
  CHECK(writable_within_reserve(gib, gib) == ByteCount::mebibytes(768));
  CHECK(writable_within_reserve(gib * 10'000, gib * 5000) == gib * 4990);
  CHECK(writable_within_reserve(gib * 100, gib * 5) == ByteCount::mebibytes(1280));
  CHECK(writable_within_reserve(gib * 100, gib * 2) == ByteCount::mebibytes(512));
  CHECK(writable_within_reserve(gib, ByteCount::mebibytes(64)) == ByteCount::mebibytes(16));
  CHECK(writable_within_reserve(gib, ByteCount::mebibytes(63)) == ByteCount());
}

TEST_CASE("writable space is known for a folder and not for a missing one") {
  const TempDir folder;
  const auto space = writable_space(folder.path());
  REQUIRE(space);
  CHECK(*space >= ByteCount());
  CHECK_FALSE(writable_space(folder.path() / "missing"));
}
