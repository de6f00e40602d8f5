#pragma once

// Reading small text files of /proc and /sys, and taking them apart. Nothing here throws: a file that is
// missing or a number that is none gives nothing.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::facts {

// The whole file, at most 8 MiB of it.
std::optional<std::string> read_text(const std::filesystem::path& file);
// Its first line without space around it; nothing if that is empty.
std::optional<std::string> read_line(const std::filesystem::path& file);
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);
// The last part of what a symbolic link points to.
std::optional<std::string> read_link_name(const std::filesystem::path& link);
// Names in a folder, sorted; none if it can't be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> lines_of(std::string_view text);  // without empty ones at the end
std::vector<std::string_view> words_of(std::string_view text);  // parted by any run of space

template <class Number = std::int64_t>
std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// A number of the kernel's, kept where sums of several can't overflow: far above any real count, and a torn
// or foreign text may hold anything.
inline std::optional<std::int64_t> to_count(std::string_view text) {
  constexpr std::int64_t most = std::int64_t{1} << 59;
  const auto value = to_number(text);
  if (!value) return std::nullopt;
  return std::clamp(*value, -most, most);
}

// The same of a number that stands for so many bytes each.
inline std::optional<std::int64_t> to_count_of(std::string_view text, std::int64_t bytes_each) {
  const auto value = to_count(text);
  if (!value) return std::nullopt;
  const std::int64_t most = (std::int64_t{1} << 59) / bytes_each;
  return std::clamp(*value, -most, most);
}

}  // namespace nasdiag::facts
