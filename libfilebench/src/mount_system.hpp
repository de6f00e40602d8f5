#pragma once

// A mount's full description from the system's own files; never touches the mount.

#include "messages.hpp"

#include <filebench/mount.hpp>

#include <filesystem>

namespace nasdiag::filebench {

// The mount that covers what the worker resolved; or, where it couldn't (error not 0), what the table says
// about the path.
Mount read_mount(const std::filesystem::path& root, const Resolved& resolved,
                 const std::filesystem::path& path);

// The processes of this machine that serve a FUSE mount, and the kernel's threads of an SMB mount.
std::vector<MountProcess> serving_processes(const std::filesystem::path& root, const Mount& mount);

// What sshfs was started with: the kernel knows little of it. From the command line of its process.
std::vector<MountOption> options_of_daemon(const std::filesystem::path& root, const Mount& mount);
std::vector<MountOption> options_in_arguments(const std::vector<std::string>& arguments);

// "iscsi", "nbd" or "nvme-tcp" and where, if a block device (or what it is built on) lies behind a network.
struct NetworkBlock {
  std::string transport;
  std::string address;
  std::optional<std::uint16_t> port;
  std::string target;
};
std::optional<NetworkBlock> network_block_behind(const std::filesystem::path& root,
                                                 const std::string& device);

}  // namespace nasdiag::filebench
