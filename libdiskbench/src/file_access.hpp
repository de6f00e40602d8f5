#pragma once

// How the test file is opened and made ready. Everything here may hang with the disk.

#include "open_file.hpp"

#include <diskbench/options.hpp>
#include <diskbench/result.hpp>
#include <measure/note.hpp>

#include <filesystem>

namespace nasdiag::diskbench {

struct Access {
  CachePath cache_path = CachePath::direct;
  measure::Notes notes;
};

// Past the page cache or through it? Throws std::system_error (Errc::direct_unsupported) if it must be
// direct and can't.
Access choose_access(const std::filesystem::path& file, const DiskOptions& options);

// Throws std::system_error.
OpenFile open_test_file(const std::filesystem::path& file, CachePath cache_path, Sync sync);

// Takes the space in advance, so that the queue isn't held up by a growing file. File systems that can't
// are left alone. Throws std::system_error (no space, quota, file size limit).
void reserve_space(int file, measure::ByteCount size, const std::filesystem::path& directory);

measure::ByteCount allocated_size(int file);
measure::ByteCount apparent_size(int file);

}  // namespace nasdiag::diskbench
