#include "diagnose/verdict/causes/situation.hpp"

#include <array>

// This computer's disk.

namespace nasdiag::verdict {

namespace {

std::optional<Sign> slow_disk(const Situation& s) {
  if (!s.limits(Layer::client_disk)) return std::nullopt;
  const auto* disk = s.saturation("disk");
  Sign sign{.strength = strength::kStrong,
            .most = disk != nullptr ? Confidence::certain : Confidence::likely};
  if (disk != nullptr) sign.evidence.push_back(disk->text);
  sign.advice = std::string("This computer's disk is the limit: copy ") + (s.writes() ? "from" : "to") +
                " a faster one, or expect no more.";
  return sign;
}

constexpr std::array kCauses{
    Cause{.id = "client-disk/slow-disk",
          .layer = Layer::client_disk,
          .meaning = "plain speed of this computer's disk",
          .seen = "the copy equals the local disk's own rate, which is busy all the time",
          .against = "writing from memory over the mount is no faster",
          .look_alikes = {{{"nas-disk/slow-hdd", "Write from memory over the mount: `nasdiag file MOUNT`."}}},
          .advice = "Copy from or to a faster disk, or expect no more.",
          .gain = "up to the next limit",
          .recognise = slow_disk},
};

}  // namespace

std::span<const Cause> client_disk_causes() { return kCauses; }

}  // namespace nasdiag::verdict
