#include "diagnose/verdict/causes/finding.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace nasdiag::verdict {

namespace {

using evidence::Evidence;
using filebench::MountKind;

struct KindCause {
  const char* cause;
  const char* advice;
};

KindCause of_kind(const Evidence& evidence) {
  const MountKind kind = evidence.facts.mount ? evidence.facts.mount->kind : MountKind::local;
  switch (kind) {
    case MountKind::gvfs:
      return {"mount/gvfs-overhead",
              "Mount the share with the kernel instead of the file manager: `sudo mount -t cifs "
              "//SERVER/SHARE /mnt/nas -o "
              "user=NAME,uid=$(id -u)` (or the same in /etc/fstab), and copy there."};
    case MountKind::kio:
      return {"mount/kio-overhead",
              "Mount the share with the kernel (`mount -t cifs` or NFS) and copy there."};
    case MountKind::sshfs:
      return {"mount/fuse-layer",
              "Mount the share by NFS or SMB instead of sshfs: no ssh encryption and no user-space file "
              "system in the way."};
    case MountKind::rclone:
    case MountKind::davfs:
    case MountKind::smbnetfs:
    case MountKind::layered:
    case MountKind::other_fuse:
      return {"mount/fuse-layer",
              "Mount the share with the kernel (NFS or `mount -t cifs`) instead of through a user-space "
              "file system."};
    default:
      return {"",
              "The network and this computer's disk are faster than the file job. Look at the mount's "
              "protocol and "
              "options, and at the NAS's own disk and processor while copying."};
  }
}

// Notes on the mount's options that are a cause of their own when nothing else explains the rate.
struct OptionCause {
  std::string_view note;
  const char* cause;
  std::optional<measure::Direction> direction;  // none: both
};

constexpr std::array kOptionCauses{
    OptionCause{"mount-sync", "mount/sync-option", measure::Direction::write},
    OptionCause{"smb-encrypted", "mount/smb-encryption", {}},
    OptionCause{"smb-signed", "mount/smb-signing", {}},
    OptionCause{"nfs-small-read-ahead", "mount/nfs-readahead", measure::Direction::read},
    OptionCause{"small-rsize", "mount/small-read-size", measure::Direction::read},
    OptionCause{"small-wsize", "mount/nfs-wsize", measure::Direction::write},
    OptionCause{"nfs-short-timeout", "mount/nfs-timeo", {}},
};

std::optional<Finding> option_finding(const Evidence& evidence, measure::Direction direction) {
  if (!evidence.facts.mount) return std::nullopt;
  for (const OptionCause& option : kOptionCauses) {
    if (option.direction && *option.direction != direction) continue;
    for (const measure::Note& note : evidence.facts.mount->suspicious)
      if (note.code == option.note)
        return Finding{.layer = Layer::mount,
                       .cause = option.cause,
                       .confidence = Confidence::likely,
                       .advice = note.text};
  }
  return std::nullopt;
}

// The processes that serve the mount kept a core busy: its implementation, beyond doubt about the NAS.
const evidence::Saturation* busy_programs(const Evidence& evidence, measure::Direction direction) {
  if (const auto* thread = saturation_in_files(evidence, direction, "mount-thread")) return thread;
  return saturation_in_files(evidence, direction, "mount-in-turn");
}

}  // namespace

Finding mount_finding(const Evidence& evidence, const DirectionFigures& figures, const Limit& limit) {
  if (auto finding = option_finding(evidence, figures.direction)) return *finding;
  const KindCause kind = of_kind(evidence);
  Finding finding{.layer = Layer::mount, .cause = kind.cause, .advice = kind.advice};
  const bool user_space = !finding.cause.empty();
  if (const auto* busy = busy_programs(evidence, figures.direction)) {
    finding.confidence = user_space && limit.lowest ? Confidence::certain : Confidence::likely;
    finding.evidence.push_back(busy->text);
    return finding;
  }
  finding.confidence = user_space && limit.lowest ? Confidence::likely : Confidence::possible;
  if (finding.confidence == Confidence::possible) {
    finding.alternatives = {{Layer::nas_disk, ""}, {Layer::nas_cpu, ""}};
    finding.settle_by =
        "Look at the NAS's disks and processor during a copy (its resource monitor, or `top` and `iostat -x "
        "1` "
        "over SSH): idle ones leave the mount.";
  }
  return finding;
}

}  // namespace nasdiag::verdict
