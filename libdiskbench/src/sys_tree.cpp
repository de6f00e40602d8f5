#include "sys_tree.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace nasdiag::diskbench {

std::optional<std::string> whole_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return std::nullopt;
  return text.str();
}

std::optional<std::string> line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line)) return std::nullopt;
  constexpr const char* kBlanks = " \t\r\n";
  const auto first = line.find_first_not_of(kBlanks);
  if (first == std::string::npos) return std::string();
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::optional<long long> number_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  if (!line) return std::nullopt;
  long long value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::string> SysTree::text(const std::filesystem::path& absolute) const {
  return whole_text(at(absolute));
}

}  // namespace nasdiag::diskbench
