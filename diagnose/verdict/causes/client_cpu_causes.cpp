#include "diagnose/verdict/causes/situation.hpp"

#include <diagnose/verdict/causes/result_of.hpp>
#include <measure/quantity_text.hpp>

#include <array>
#include <cmath>

// This computer's processor.

namespace nasdiag::verdict {

namespace {

std::optional<Sign> quota(const Situation& s) {
  const auto* throttled = s.saturation("cpu-quota");
  if (!s.below_all() || throttled == nullptr) return std::nullopt;
  return Sign{.strength = strength::kNamed, .evidence = {throttled->text}};
}

std::optional<Sign> small_cpu(const Situation& s) {
  if (auto sign = full_in_network_test(s, s.writes() ? netbench::Limit::sender : netbench::Limit::receiver))
    return sign;
  if (!s.below_all()) return std::nullopt;
  if (const auto* cores = s.saturation("all-cores"))
    return Sign{.strength = strength::kNamed, .evidence = {cores->text}};
  const auto& told = s.evidence.told.client_busiest_core;
  if (!told || *told < 0.9) return std::nullopt;
  return Sign{.strength = strength::kFair,
              .evidence = {"This computer's busiest core was " + std::to_string(std::lround(*told * 100)) +
                           " % busy during the copy."}};
}

std::optional<Sign> hash(const Situation& s) {
  const auto* read = s.from_memory();
  if (s.writes() || read == nullptr || !read->hash || !read->hash->limits_read) return std::nullopt;
  return Sign{.strength = strength::kStrong, .evidence = {"The checksum takes longer than the read."}};
}

constexpr std::array kCauses{
    Cause{
        .id = "client-cpu/hash",
        .layer = Layer::client_cpu,
        .meaning = "checksum of the test itself",
        .seen = "user time of the checksum about equal to the time of the read (`time sha1sum`)",
        .against = "user time is a small part",
        .look_alikes = {{{"nas-disk/slow-hdd", "Read without a checksum: `dd if=FILE of=/dev/null bs=1M`."}}},
        .advice = "Measure without a checksum (`dd if=FILE of=/dev/null bs=1M`), or use a faster one "
                  "(xxhsum, b3sum).",
        .gain = "up to the read's own rate",
        .recognise = hash},
    Cause{
        .id = "client-cpu/quota",
        .layer = Layer::client_cpu,
        .meaning = "a limit of processor time (container, control group)",
        .seen = "cpu.stat counts nr_throttled up during the copy",
        .against = "no throttled periods",
        .look_alikes = {{{"mount/fuse-layer",
                          "Raise the limit for a try: `systemctl set-property UNIT CPUQuota=`."}}},
        .advice =
            "Programs here run under a limit of processor time: raise it (`docker update --cpus`, `systemctl "
            "set-property UNIT CPUQuota=`).",
        .gain = "up to the next limit",
        .recognise = quota},
    Cause{.id = "client-cpu/small-cpu",
          .layer = Layer::client_cpu,
          .meaning = "all of this computer's processor is used",
          .seen = "all cores busy during the copy, or one in the network test itself",
          .against = "idle cores",
          .look_alikes = {{{"mount/fuse-layer", "Close other programs and run again."},
                           {"mount/gvfs-overhead", "Close other programs and run again."},
                           {"nas-cpu/small-cpu", "Watch the cores of both ends: `mpstat -P ALL 1`."}}},
          .advice = "This computer's processor can't move more: close other programs and run again, or use a "
                    "faster one.",
          .gain = "up to the next limit",
          .recognise = small_cpu},
};

}  // namespace

std::span<const Cause> client_cpu_causes() { return kCauses; }

}  // namespace nasdiag::verdict
