#pragma once

// Small files of /proc and /sys under a root of choice; what is missing is absent.

#include <filesystem>
#include <optional>
#include <string>

namespace nasdiag::diskbench {

class SysTree {
 public:
  explicit SysTree(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path at(const std::filesystem::path& absolute) const {
    return root_ / absolute.relative_path();
  }
  // The whole file; nothing if it can't be read.
  std::optional<std::string> text(const std::filesystem::path& absolute) const;

 private:
  std::filesystem::path root_;
};

std::optional<std::string> whole_text(const std::filesystem::path& file);
// The first line without blanks at its ends.
std::optional<std::string> line_of(const std::filesystem::path& file);
std::optional<long long> number_of(const std::filesystem::path& file);

}  // namespace nasdiag::diskbench
