#pragma once

// What a fix would gain: the model with layers taken out of the way.

#include <diagnose/verdict/verdict.hpp>

#include <optional>
#include <vector>

namespace nasdiag::verdict {

// The lowest capacity that is left. Nothing if none is known, or if it is no more than today's rate.
std::optional<Next> next_after(const DirectionFigures& figures, const std::vector<Layer>& removed);

}  // namespace nasdiag::verdict
