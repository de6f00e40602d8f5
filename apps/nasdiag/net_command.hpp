#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

int net_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
