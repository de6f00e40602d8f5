#include "filebench/sshfs_mount.hpp"

#include <spawn.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace nasdiag::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kServer = "/usr/lib/openssh/sftp-server";
constexpr const char* kClient = "/usr/bin/sshfs";

bool is_mount_point(const fs::path& path) {
  std::ifstream in("/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);)
    if (line.find(" " + path.string() + " ") != std::string::npos) return true;
  return false;
}

pid_t start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  return pid;
}

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

std::optional<std::string> SshfsMount::why_not() {
  if (!fs::exists(kServer)) return std::string(kServer) + " is not installed";
  if (!fs::exists(kClient)) return std::string(kClient) + " is not installed";
  if (::access("/dev/fuse", R_OK | W_OK) != 0) return "/dev/fuse is not available";
  if (::geteuid() != 0) return "needs root to mount and unmount";
  return std::nullopt;
}

SshfsMount::SshfsMount(const fs::path& served) : mounted_(folder_.path() / "mount"), served_(served) {
  if (served_.empty()) served_ = folder_.path() / "served";
  fs::create_directories(mounted_);
  fs::create_directories(served_);
  const fs::path script = folder_.path() / "ssh";
  const fs::path pid_file = folder_.path() / "pid";
  std::ofstream(script) << "#!/bin/sh\necho $$ > " << pid_file.string() << "\nexec " << kServer << "\n";
  fs::permissions(script, fs::perms::owner_all);
  client_ = start(
      {kClient, "-f", "-o", "ssh_command=" + script.string(), "nas:" + served_.string(), mounted_.string()});
  const bool up = client_ > 0 && eventually([&] {
                    std::ifstream(pid_file) >> server_;
                    return server_ > 0 && is_mount_point(mounted_);
                  });
  if (!up) throw std::runtime_error("sshfs did not come up");
}

SshfsMount::~SshfsMount() {
  if (server_ > 0) ::kill(server_, SIGCONT);
  if (client_ > 0) ::kill(client_, SIGKILL);  // requests in flight end with ENOTCONN
  if (client_ > 0) ::waitpid(client_, nullptr, 0);
  ::umount2(mounted_.c_str(), MNT_DETACH);
}

SmallDisk::SmallDisk(const std::string& size) {
  mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
  // Instead of making a file: the disk shrinks to what is used. What is being written meanwhile may be too
  // much for the new size; then once more.
  for (int i = 0; i < 100; ++i) {
    struct statvfs status {};
    ::statvfs(folder_.path().c_str(), &status);
    const auto used = (status.f_blocks - status.f_bfree) * status.f_frsize + (std::uint64_t{8} << 20U);
    const std::string size = "size=" + std::to_string(used);
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT, size.c_str()) == 0) return;
  }
}

}  // namespace nasdiag::test
