#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

int diagnose_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
