#pragma once

// Machines made of files, for the readers of /proc and /sys.

#include <measure/scratch_folder.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace nasdiag::test {

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// A folder that looks like the root of a machine.
class FakeTree {
 public:
  FakeTree() : folder_(std::filesystem::temp_directory_path()) {}

  std::filesystem::path root() const { return folder_.path(); }

  FakeTree& file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
    return *this;
  }
  FakeTree& folder(const std::string& path) {
    std::filesystem::create_directories(root() / path);
    return *this;
  }
  FakeTree& link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories((root() / path).parent_path());
    std::filesystem::create_symlink(root() / target, root() / path);
    return *this;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root())) {
      if (entry.is_regular_file() && !entry.is_symlink()) all.push_back(entry.path());
    }
    return all;
  }

 private:
  measure::ScratchFolder folder_;
};

}  // namespace nasdiag::test
