#pragma once

#include <measure/note.hpp>

#include <cstddef>
#include <filesystem>
#include <span>

namespace nasdiag::filebench {

// Why reading this file may not cost what reading it seems to cost: holes, and data that a server or a
// protocol can compress. Reads a few blocks of it: worker only, and after the measurement.
measure::Notes judge_user_file(const std::filesystem::path& file);

// Bits per byte of the data's byte frequencies: 8 for random data, 4 to 6 for text, 0 for zeros.
double entropy_of(std::span<const std::byte> data);

}  // namespace nasdiag::filebench
