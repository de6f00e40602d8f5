#pragma once

#include <diagnose/verdict/figures.hpp>

#include <string>
#include <vector>

namespace nasdiag::verdict {

// Figures that would make the verdict firmer and that are not there, the most telling first, each with how to
// get it.
std::vector<std::string> missing_figures(const DirectionFigures& figures);

}  // namespace nasdiag::verdict
