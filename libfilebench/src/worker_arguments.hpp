#pragma once

#include <string_view>

namespace nasdiag::filebench {

// The hidden argument that makes this program a worker, and the descriptors it finds open.
inline constexpr std::string_view kWorkerArgument = "--internal-file-worker";
inline constexpr int kSocketDescriptor = 3;
inline constexpr int kMemoryDescriptor = 4;

}  // namespace nasdiag::filebench
