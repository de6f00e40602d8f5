#pragma once

#include <string>
#include <vector>

namespace nasdiag::app {

// nasdiag disk DIR: the disk layer alone.
int run_disk_command(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
