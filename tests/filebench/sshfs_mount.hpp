#pragma once

// A folder served by sshfs, with sftp-server in place of ssh: a real FUSE mount whose server can be stopped,
// killed or filled.

#include "support/temp_dir.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::test {

class SshfsMount {
 public:
  // Nothing if sshfs, FUSE or the permission to mount is missing.
  static std::optional<std::string> why_not();

  // Serves a folder of its own, or the one given. Throws std::runtime_error if it doesn't come up.
  explicit SshfsMount(const std::filesystem::path& served = {});
  ~SshfsMount();  // always comes down, whatever state the server is in
  SshfsMount(const SshfsMount&) = delete;
  SshfsMount& operator=(const SshfsMount&) = delete;

  const std::filesystem::path& path() const { return mounted_; }
  const std::filesystem::path& served() const { return served_; }
  pid_t server() const { return server_; }
  pid_t client() const { return client_; }

 private:
  TempDir folder_;
  std::filesystem::path mounted_;
  std::filesystem::path served_;
  pid_t client_ = -1;
  pid_t server_ = -1;
};

// A tmpfs of a size, mounted; root only.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  void fill() const;  // uses up what is free

 private:
  TempDir folder_;
  bool mounted_ = false;
};

}  // namespace nasdiag::test
