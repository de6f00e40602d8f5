#pragma once

// The figures that `nasdiag diagnose` takes on its command line.

#include "nasdiag/command_line.hpp"

#include <diagnose/formats/hand_figures.hpp>

namespace nasdiag::app {

po::options_description figure_options();

// Throws UsageError that names the option and what it takes.
formats::HandFigures figures_of(const po::variables_map& values);

}  // namespace nasdiag::app
