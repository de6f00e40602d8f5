#pragma once

// Figures that a person has by hand, from tools, threads or memory, as evidence. Pure.

#include <diagnose/evidence/evidence.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nasdiag::formats {

struct HandFigures {
  // Rates of the job's direction: writing to the NAS reads the client's disk and writes the NAS's.
  struct Way {
    std::optional<measure::DataRate> tcp_one_stream, tcp_more_streams, nas_disk, client_disk, file;
  };
  Way write, read;
  // One TCP stream towards the NAS with each of these socket buffers.
  std::vector<std::pair<measure::ByteCount, measure::DataRate>> windows;
  std::optional<int> streams;  // of tcp_more_streams
  std::optional<std::int64_t> retransmits;
  std::optional<measure::DataRate> link;  // as negotiated, or as printed on the adapters
  std::optional<int> mtu;
  std::string way;  // "direct", "switch", "routed", "vpn", "wifi"; empty: not said
  bool usb_nic = false;
  std::string mount_kind;  // "nfs4", "smb", "gvfs-smb", "sshfs" …; empty: not said
  std::string mount_options;
  evidence::Told told;

  const Way& of(measure::Direction direction) const {
    return direction == measure::Direction::write ? write : read;
  }
};

// Adds what isn't there yet; what `evidence` has already stays and wins.
void add_hand_figures(const HandFigures& figures, evidence::Evidence& evidence);

// Kinds of mount that `mount_kind` may begin with, for messages.
inline constexpr const char* kMountKinds =
    "nfs, smb, cifs, gvfs-smb, gvfs-sftp, kio-smb, sshfs, rclone, davfs, encfs, fuse, rsync, scp, sftp, "
    "local";
bool is_mount_kind(const std::string& kind);

}  // namespace nasdiag::formats
