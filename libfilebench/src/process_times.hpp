#pragma once

#include "mount_counters.hpp"

#include <optional>

namespace nasdiag::filebench {

// CPU time of a process and of each of its threads; nothing if it is gone.
std::optional<ProcessTimes> read_process_times(const std::filesystem::path& root, int pid);

// From the text of /proc/PID/stat: name, start time, CPU time. A name may hold blanks and brackets.
std::optional<ProcessTimes> parse_process_stat(std::string_view text, long ticks_per_second);

}  // namespace nasdiag::filebench
