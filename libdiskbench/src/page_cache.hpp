#pragma once

// How much of a file the page cache holds, and getting rid of it.

#include <cstdint>
#include <optional>

namespace nasdiag::diskbench {

// Writes dirty pages out, then drops what can be dropped.
void evict(int file, std::uint64_t length);

// 0 to 1 of the first `length` bytes. Nothing if the kernel doesn't tell.
std::optional<double> resident_share(int file, std::uint64_t length);

}  // namespace nasdiag::diskbench
