#include "diagnose/verdict/limit.hpp"

#include <algorithm>

namespace nasdiag::verdict {

namespace {

using measure::DataRate;

// The layer under a network layer: what bounds a measurement of it.
std::optional<Layer> under(Layer layer) {
  if (layer == Layer::path) return Layer::link;
  if (layer == Layer::tcp) return Layer::path;
  return std::nullopt;
}

bool bounded_by_layer_under(const DirectionFigures& figures, Layer layer) {
  for (auto below = under(layer); below; below = under(*below)) {
    if (!figures.of(*below)) continue;
    constexpr double kMostDoubt = 1.1;
    const Interval& bound = figures.of(*below)->rate;
    const Interval& rate = figures.of(layer)->rate;
    return std::min(rate.high, rate.value * kMostDoubt) >= std::min(bound.low, bound.value * kBoundedBy);
  }
  return false;
}

}  // namespace

std::optional<Layer> lowest_capacity(const DirectionFigures& figures, std::optional<Layer> removed) {
  std::optional<Layer> lowest;
  for (const Layer layer : kLayers) {
    if (layer == removed || !figures.of(layer) || bounded_by_layer_under(figures, layer)) continue;
    if (!lowest || figures.of(layer)->rate.value < figures.of(*lowest)->rate.value) lowest = layer;
  }
  return lowest;
}

DataRate harmonic_sum(const std::vector<DataRate>& stages) {
  double seconds_per_bit = 0;
  for (const DataRate stage : stages) seconds_per_bit += 1 / stage.bits_per_second();
  return DataRate::bits_per_second(1 / seconds_per_bit);
}

std::optional<DataRate> rate_in_turn(const DirectionFigures& figures) {
  std::vector<DataRate> stages;
  for (const Layer layer : {Layer::client_disk, Layer::nas_disk, Layer::tcp})
    if (figures.of(layer)) stages.push_back(figures.of(layer)->rate.value);
  if (stages.size() < 2) return std::nullopt;
  return harmonic_sum(stages);
}

namespace {

// What a job must get to have reached a capacity. A capacity known badly lowers that a little.
DataRate bar_of(const Figure& figure) {
  constexpr double kMostUncertain = 0.9;
  return std::max(figure.rate.low, figure.rate.value * kMostUncertain) * kReached;
}

bool full_until_flush(const DirectionFigures& figures, DataRate capacity) {
  return (figures.while_moving && *figures.while_moving >= capacity * kLinkFull) ||
         (figures.wire_peak && *figures.wire_peak >= capacity * kReached);
}

// A job just below a full link was held up by it only if something over the mount came closer: the mount from
// memory, or the write until its flush.
bool never_filled(const DirectionFigures& figures, Layer lowest) {
  if (lowest != Layer::link || !figures.from_memory) return false;
  const DataRate full = figures.of(lowest)->rate.low * kLinkFull;  // of a bus it is known badly
  return figures.job()->rate.value < full && figures.from_memory->rate.value < full &&
         !full_until_flush(figures, figures.of(lowest)->rate.low);
}

}  // namespace

std::optional<Limit> limit_of(const DirectionFigures& figures) {
  if (!figures.job()) return std::nullopt;
  const Interval& job = figures.job()->rate;
  const auto lowest = lowest_capacity(figures);

  const auto& link = figures.of(Layer::link);
  if (link && job.value >= link->rate.value * kLinkFull)
    return Limit{Layer::link, LimitRule::link_full, lowest, {}};
  if (lowest && job.value >= bar_of(*figures.of(*lowest)) && !never_filled(figures, *lowest))
    return Limit{*lowest, LimitRule::capacity_reached, lowest, {}};
  if (lowest && full_until_flush(figures, figures.of(*lowest)->rate.value))
    return Limit{*lowest, LimitRule::reached_until_flush, lowest, {}};
  constexpr double kLittleLess = 0.75;
  if (lowest && figures.from_memory &&
      figures.from_memory->rate.value >= figures.of(*lowest)->rate.value * kLinkFull &&
      job.value >= figures.of(*lowest)->rate.value * kLittleLess)
    return Limit{*lowest, LimitRule::reached_from_memory, lowest, {}};
  const bool spread_reaches = lowest && job.high >= bar_of(*figures.of(*lowest));
  const auto within_spread = spread_reaches ? lowest : std::nullopt;
  const auto in_turn = rate_in_turn(figures);
  constexpr double kClose = 0.10;
  if (in_turn && job.value >= *in_turn * (1 - kClose) && job.value <= *in_turn * (1 + kClose))
    return Limit{Layer::mount, LimitRule::stages_in_turn, lowest, within_spread};
  return Limit{Layer::mount, LimitRule::below_all, lowest, within_spread};
}

std::optional<Limit> network_limit_of(const DirectionFigures& figures) {
  if (!figures.of(Layer::tcp) && !figures.of(Layer::path)) return std::nullopt;
  DirectionFigures network = figures;
  for (const Layer layer : {Layer::client_disk, Layer::nas_disk}) network.of(layer).reset();
  const auto lowest = lowest_capacity(network);
  return Limit{*lowest, LimitRule::network_alone, lowest, {}};
}

}  // namespace nasdiag::verdict
