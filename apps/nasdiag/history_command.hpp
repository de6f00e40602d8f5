#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

int history_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
