#pragma once

// A file to write and read, in a fresh scratch folder, gone with its last owner. Handing one to several
// measurements lets a reading one use what a writing one has just written.

#include <measure/quantity.hpp>

#include <filesystem>
#include <memory>

namespace nasdiag::diskbench {

class TestFile {
 public:
  // Makes the folder and an empty file. Throws std::system_error.
  explicit TestFile(const std::filesystem::path& directory);
  ~TestFile();
  TestFile(TestFile&&) noexcept;
  TestFile& operator=(TestFile&&) noexcept;
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  const std::filesystem::path& directory() const;  // the user's folder
  const std::filesystem::path& path() const;       // the file
  // How far from its start the file holds written data; what reading measures may use.
  measure::ByteCount written() const;

  // A measurement shares this with its threads: a thread that hangs keeps the file until it comes back.
  class State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace nasdiag::diskbench
