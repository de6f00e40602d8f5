#pragma once

// Which layer limits, from the figures alone.

#include <diagnose/verdict/figures.hpp>

#include <optional>
#include <vector>

namespace nasdiag::verdict {

// Achieved at least this share of a capacity: it is reached. Copies lose some per cent to request gaps and to
// the final flush even where nothing else is in the way.
inline constexpr double kReached = 0.85;
// From this share of the link's payload on nothing is wrong: the link is full.
inline constexpr double kLinkFull = 0.90;
// A measured network rate this close to the one of a lower layer is bounded by it and says nothing of its
// own.
inline constexpr double kBoundedBy = 0.90;

enum class LimitRule {
  link_full,            // the job reaches what the link carries
  capacity_reached,     // the job reaches the lowest known capacity
  reached_until_flush,  // it does until the last write; the NAS's flush took the rest of the time
  reached_from_memory,  // the mount alone does; the copy loses little more, by reading and writing in turn
  stages_in_turn,       // below all, as slow as reading, sending and writing one after the other
  network_alone,        // no file job: the narrowest of link, path and one stream
  below_all             // below every known capacity: what wasn't measured by itself, the mount
};

struct Limit {
  Layer layer = Layer::mount;
  LimitRule rule = LimitRule::below_all;
  std::optional<Layer> lowest;  // known capacity, with the network layers told apart
  // The job varied so much that its interval reaches this capacity, though its mean does not.
  std::optional<Layer> within_spread;
};

// Nothing if there is no achieved rate.
std::optional<Limit> limit_of(const DirectionFigures& figures);
// Without a file job: what the network alone would let through. Nothing without a TCP figure.
std::optional<Limit> network_limit_of(const DirectionFigures& figures);

// Of all known capacities the lowest, path and tcp only where they stay clearly below the layer under them.
std::optional<Layer> lowest_capacity(const DirectionFigures& figures,
                                     std::optional<Layer> removed = std::nullopt);

// Rate of stages that wait for each other: 1 / Σ 1/Cᵢ.
measure::DataRate harmonic_sum(const std::vector<measure::DataRate>& stages);
// Likewise over client-disk, nas-disk and the network.
std::optional<measure::DataRate> rate_in_turn(const DirectionFigures& figures);

}  // namespace nasdiag::verdict
