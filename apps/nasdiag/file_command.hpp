#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

// nasdiag file DIR: the mount alone.
int file_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
