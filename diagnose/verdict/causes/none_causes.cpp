#include "diagnose/verdict/causes/situation.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>

// Nothing to repair.

namespace nasdiag::verdict {

namespace {

constexpr measure::DataRate kFastEthernet = measure::DataRate::megabits_per_second(100);
// A file protocol gets this much of a full link in small and old devices.
constexpr double kNearlyFull = 0.70;

// The longest file that was moved, if it was short: behind the NAS's memory or a fast cache there may be slow
// disks, which it never met. Of figures that were given the length isn't known.
std::optional<measure::ByteCount> short_file(const Situation& s) {
  constexpr measure::ByteCount kMoreThanCachesHold = measure::ByteCount::mebibytes(2048);
  measure::ByteCount longest;
  for (const filebench::TransferResult* transfer : {s.copy(), s.from_memory()})
    if (transfer != nullptr) longest = std::max(longest, transfer->amount);
  return longest > measure::ByteCount() && longest < kMoreThanCachesHold ? std::optional(longest)
                                                                         : std::nullopt;
}

Sign full_link(const Situation& s) {
  if (!s.link_full()) return {.strength = strength::kStrong};
  const auto moved = short_file(s);
  if (!moved) return {.strength = strength::kNamed, .most = Confidence::certain};
  return {.strength = strength::kNamed,
          .evidence = {"That holds for files of " + to_text(*moved) +
                       "; a longer one may meet slower disks behind the NAS's memory or cache."}};
}

std::optional<Sign> link_saturated(const Situation& s) {
  const auto link = s.rate(Layer::link);
  // TCP at just what a standard carries, on a link whose speed nobody told.
  if (!link)
    return s.limits_network() && s.slower_plateau() && !s.routed() && !s.wifi() && !s.tunnel()
               ? std::optional(Sign{
                     .strength = strength::kFair,
                     .evidence = {"That is just what a full " + s.slower_plateau()->name + " link carries."}})
               : std::nullopt;
  const bool on_bus = s.evidence.link.limited_by == "usb-bus" || s.evidence.link.limited_by == "pcie";
  if (s.limits(Layer::link) && !on_bus) {
    if (*link < kFastEthernet && s.network_known()) return Sign{.strength = strength::kEven};
    if (*link < kFastEthernet) return Sign{.strength = strength::kGood};
    return full_link(s);
  }
  // Without a TCP figure: not far from full.
  if (s.below_all() && !s.network_known() && s.figures.achieved && *s.job() >= *link * kNearlyFull)
    return Sign{.strength = strength::kFair,
                .evidence = {"That is most of what the link carries (" + to_text(*link) + ")."}};
  return std::nullopt;
}

constexpr std::array kCauses{
    Cause{
        .id = "none/link-saturated",
        .layer = Layer::link,
        .meaning = "the link is the limit, at its payload rate",
        .seen = "the job at 90 % or more of what the slower of the two links carries as payload",
        .against = "the ports could run faster than they do",
        .look_alikes = {{{"link/negotiated-speed",
                          "Compare with the speed printed on both adapters and switch ports: "
                          "`ethtool INTERFACE`, and the NAS's network page."},
                         {"mount/smb-server-io",
                          "Measure the network alone: `iperf3 -c NAS`: as fast as the files means full."}}},
        .advice = "Nothing is wrong: the link is full. Only a faster link on both ends makes copies faster.",
        .gain = "none without a faster link",
        .recognise = link_saturated},
};

}  // namespace

std::span<const Cause> none_causes() { return kCauses; }

}  // namespace nasdiag::verdict
