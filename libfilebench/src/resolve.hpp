#pragma once

#include "messages.hpp"

namespace nasdiag::filebench {

// Touches the path (and triggers an automount on it): worker only.
Resolved resolve(const std::filesystem::path& path);

}  // namespace nasdiag::filebench
