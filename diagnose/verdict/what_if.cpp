#include "diagnose/verdict/what_if.hpp"

#include <diagnose/verdict/limit.hpp>

#include <algorithm>

namespace nasdiag::verdict {

namespace {

std::optional<measure::DataRate> todays_rate(const DirectionFigures& figures) {
  for (const auto* figure : {&figures.job(), &figures.of(Layer::tcp), &figures.of(Layer::path)})
    if (*figure) return (*figure)->rate.value;
  return std::nullopt;
}

// Once it is faster, what was measured through it is unknown.
void take_out(Layer removed, DirectionFigures& figures) {
  figures.of(removed).reset();
  if (removed == Layer::link) figures.of(Layer::path).reset();
  if (removed == Layer::link || removed == Layer::path) figures.of(Layer::tcp).reset();
}

}  // namespace

std::optional<Next> next_after(const DirectionFigures& figures, const std::vector<Layer>& removed) {
  DirectionFigures left = figures;
  for (const Layer layer : removed) take_out(layer, left);
  const auto layer = lowest_capacity(left);
  const auto today = todays_rate(figures);
  if (!layer || !today) return std::nullopt;
  const measure::DataRate rate = left.of(*layer)->rate.value;
  return Next{.layer = *layer, .rate = rate, .gain = std::max(0.0, rate / *today - 1)};
}

}  // namespace nasdiag::verdict
