#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

int show_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
