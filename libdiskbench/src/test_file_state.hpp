#pragma once

#include <diskbench/test_file.hpp>
#include <measure/note.hpp>
#include <measure/scratch_folder.hpp>

#include <atomic>
#include <filesystem>

namespace nasdiag::diskbench {

class TestFile::State {
 public:
  // Throws std::system_error.
  explicit State(const std::filesystem::path& user_directory);

  const std::filesystem::path directory;
  const measure::ScratchFolder folder;
  const std::filesystem::path path;
  std::atomic<std::int64_t> written{0};        // bytes from the start that hold data
  std::atomic<bool> looked_for_others{false};  // at the disk, before the first measurement
};

}  // namespace nasdiag::diskbench
