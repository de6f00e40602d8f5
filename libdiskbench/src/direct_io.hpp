#pragma once

// Does a file take I/O past the page cache, and how must it be aligned?

#include <cstdint>
#include <filesystem>
#include <optional>

namespace nasdiag::diskbench {

// The offset alignment that direct I/O on this file needs, from statx (Linux 6.1) or, where the kernel or the
// file system doesn't tell, a guess that fits every disk. Nothing: the file system has no direct I/O.
std::optional<std::uint64_t> direct_alignment(const std::filesystem::path& file);

}  // namespace nasdiag::diskbench
