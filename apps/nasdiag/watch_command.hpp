#pragma once

// nasdiag watch: what is saturated while the user's own copy runs.

#include <string>
#include <vector>

namespace nasdiag::app {

int watch_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
