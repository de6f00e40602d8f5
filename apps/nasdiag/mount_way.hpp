#pragma once

// What this machine knows of the way to a mount's server, without sending anything.

#include <filebench/mount.hpp>
#include <measure/quantity.hpp>

#include <chrono>
#include <optional>

namespace nasdiag::app {

// What the link carries as TCP payload; absent if unknown, or if the mount may use several links at once.
std::optional<measure::DataRate> link_rate_to(const filebench::Mount& mount);

// Of the mount's own connections as the kernel's TCP keeps it, the shortest yet. Absent: there is none.
std::optional<std::chrono::microseconds> round_trip_to(const filebench::Mount& mount);

}  // namespace nasdiag::app
