#pragma once

#include <diskbench/block_device.hpp>

#include <string_view>
#include <vector>

namespace nasdiag::diskbench {

// The text of /proc/mdstat.
std::vector<RaidState> parse_mdstat(std::string_view text);

}  // namespace nasdiag::diskbench
