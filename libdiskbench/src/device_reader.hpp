#pragma once

// One block device as sysfs shows it.

#include "sys_tree.hpp"

#include <diskbench/block_device.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace nasdiag::diskbench {

// `folder` is the device's own folder in sysfs (with "queue" in it, or a partition's below such a one).
BlockDevice read_device(const SysTree& tree, const std::filesystem::path& folder);

// Names of the devices this one lies on: a partition's disk, the members of md, dm and bcache.
std::vector<std::string> devices_below(const std::filesystem::path& folder);

}  // namespace nasdiag::diskbench
