#include "diagnose/verdict/causes/situation.hpp"

#include <measure/quantity_text.hpp>

#include <array>

// The program that copies.

namespace nasdiag::verdict {

namespace {

bool kernel_mount(const Situation& s) {
  return s.mount_kind() == filebench::MountKind::nfs || s.mount_kind() == filebench::MountKind::cifs;
}

// The same mount is much faster with large pieces from memory, and the local disk isn't the reason.
std::optional<Sign> copy_chunk(const Situation& s) {
  const auto& memory = s.figures.from_memory;
  const auto disk = s.rate(Layer::client_disk);
  if (!kernel_mount(s) || !s.below_all() || !memory || !s.figures.achieved || !disk) return std::nullopt;
  if (memory->rate.value < *s.job() * 1.8 || *disk < *s.job() * 1.8) return std::nullopt;
  return Sign{.strength = strength::kFair,
              .evidence = {"In large pieces the same mount moves " + to_text(memory->rate.value) + "."}};
}

std::optional<Sign> serial_io(const Situation& s) {
  if (s.limit.rule == LimitRule::stages_in_turn) return Sign{.strength = strength::kWeak};
  // On a link many times as fast, over a kernel mount: a program that waits for each step.
  const auto link = s.rate(Layer::link);
  const bool far_below = kernel_mount(s) && s.below_all() && s.from_memory() == nullptr && link &&
                         *s.job() < *link * 0.1 && s.writes();
  return far_below ? std::optional(Sign{.strength = strength::kHint}) : std::nullopt;
}

std::optional<Sign> rsync_delta(const Situation& s) {
  if (!s.protocol_is("rsync") || s.link_full()) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

constexpr std::array kCauses{
    Cause{.id = "client-app/copy-tool",
          .layer = Layer::client_app,
          .meaning = "a particular build of the program",
          .seen = "another build or tool is several times as fast on the same mount",
          .against = "cp is as slow",
          .look_alikes = {{{"nas-disk/slow-hdd", "Copy the same file with cp."}}},
          .advice = "Copy with cp or a newer build (64 bit, with the processor's checksum instructions).",
          .gain = "up to what cp reaches",
          .recognise = nullptr},
    Cause{
        .id = "client-app/copy-chunk",
        .layer = Layer::client_app,
        .meaning = "small synchronous chunks",
        .seen = "pieces of 128 KiB are much slower over the same mount than pieces of 1 MiB",
        .against = "the size of the pieces doesn't matter",
        .look_alikes = {{{"client-disk/slow-disk", "Write from memory over the mount: `nasdiag file MOUNT`."},
                         {"mount/nfs-readahead", "Raise the read-ahead for a try."}}},
        .advice = "Copy in larger pieces (`dd bs=1M`, `rsync --inplace -W`, the program's buffer setting).",
        .gain = "up to what large pieces reach",
        .recognise = copy_chunk},
    Cause{.id = "client-app/rsync-compress",
          .layer = Layer::client_app,
          .meaning = "compression where it cannot help",
          .seen = "rsync -z on media files, its process at a full core",
          .against = "no -z",
          .look_alikes = {{{"path/wifi", "Copy once with cp."}}},
          .advice = "Leave -z out inside the home network.",
          .gain = "up to what cp reaches",
          .recognise = nullptr},
    Cause{.id = "client-app/rsync-delta",
          .layer = Layer::client_app,
          .meaning = "delta mode reads everything",
          .seen = "rsync over existing files, the NAS's disks read as much as is sent",
          .against = "as slow with -W",
          .look_alikes = {{{"nas-cpu/ssh-cipher", "Copy once with `rsync -W` (whole files)."},
                           {"nas-cpu/rsync", "Copy once with `rsync -W` (whole files)."}}},
          .advice = "Copy whole files: `rsync -W --inplace`.",
          .gain = "2 to 6 times",
          .recognise = rsync_delta},
    Cause{.id = "client-app/serial-io",
          .layer = Layer::client_app,
          .meaning = "the program waits for each step",
          .seen = "the rate is that of reading, sending and writing one after the other, on any link",
          .against = "cp on the same mount fills the link",
          .look_alikes = {{{"nas-disk/sync-write",
                            "Copy the same file with cp: a fast one leaves the program."},
                           {"nas-disk/write-cache-exhausted",
                            "Copy the same file with cp: a fast one leaves the program."}}},
          .advice = "Copy with a program that reads ahead (cp, rsync -W), or run several copies at once.",
          .gain = "up to the slowest single stage",
          .recognise = serial_io},
};

}  // namespace

std::span<const Cause> client_app_causes() { return kCauses; }

}  // namespace nasdiag::verdict
