#pragma once

// Which mount covers a folder, who serves it, and what is suspicious about how it is mounted.

#include <measure/note.hpp>
#include <measure/quantity.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

using measure::ByteCount;

enum class MountKind {
  local,
  nfs,   // any version, see protocol
  cifs,  // smb1 to smb3
  gvfs,  // smb, sftp, dav, nfs, ftp … through gvfsd-fuse
  sshfs,
  rclone,
  davfs,
  kio,
  smbnetfs,
  object_store,  // s3fs, goofys …
  glusterfs,
  ceph,
  plan9,
  virtiofs,
  network_block,  // a local file system on iSCSI, NBD or NVMe over TCP
  layered,        // mergerfs, overlay, encfs …: data lies in other folders
  other_fuse,
  automount  // an automount point that nothing has triggered yet
};

struct MountOption {
  std::string name;
  std::string value;  // empty for a bare word
  bool operator==(const MountOption&) const = default;
};

struct MountProcess {
  int pid = 0;
  std::string name;
  bool operator==(const MountProcess&) const = default;
};

struct Mount {
  MountKind kind = MountKind::local;
  std::string protocol;  // "nfs4.2", "smb3.1.1", "gvfs-smb", "sshfs", "ext4 over iscsi", "ext4"
  std::string type;      // as the kernel says: nfs4, cifs, fuse.sshfs
  std::string source;
  std::filesystem::path mount_point;
  std::string root;    // path inside the file system that is mounted here
  std::string device;  // major:minor
  int id = 0;
  int parent_id = 0;

  std::string server;   // name or address as the mount was given it; empty: none or unknown
  std::string address;  // numeric, where the kernel tells
  std::optional<std::uint16_t> port;
  std::string share;                 // export, share or path on the server
  std::string user;                  // on the server, where known
  bool past_the_interfaces = false;  // the server is this machine, or a program of the user's leads to it

  std::vector<MountOption> options;  // both lists of the kernel's, in order
  bool read_only = false;
  std::optional<ByteCount> read_request_size;   // rsize
  std::optional<ByteCount> write_request_size;  // wsize
  int connections = 1;                          // nconnect, or channels of SMB
  std::optional<ByteCount> read_ahead;
  std::optional<bool> is_signed;  // SMB, from DebugData
  std::optional<bool> encrypted;  // SMB seal, NFS krb5p or TLS, sshfs

  std::vector<std::string> shares_counters_with;  // other mount points of the same superblock
  std::vector<MountProcess> processes;            // that serve it in user space
  measure::Notes suspicious;                      // option by option: what it costs and what to do

  const std::string* option(std::string_view name) const;  // its value; nothing if absent
  bool is_network() const;
  bool operator==(const Mount&) const = default;
};

struct FindMountOptions {
  std::chrono::milliseconds time_limit{5000};
  std::filesystem::path worker_program = "/proc/self/exe";
};

// The mount that covers `path` (bind mounts, over-mounts, symbolic links and GVfs paths resolved; an
// automount is triggered). The path is touched in a worker process only; if the mount doesn't answer within
// the time limit, the answer comes from the mount table alone and carries the note "mount-silent". Throws
// std::system_error if the path doesn't exist.
Mount find_mount(const std::filesystem::path& path, const FindMountOptions& options = {});

// Notes on options that cost speed or safety.
measure::Notes judge_options(const Mount& mount);

// NFS: whether the kernel's read-ahead is too small for the request size and round trip; a note if so.
std::optional<measure::Note> judge_read_ahead(const Mount& mount,
                                              std::optional<std::chrono::microseconds> round_trip);

std::string_view to_string(MountKind kind);

}  // namespace nasdiag::filebench
