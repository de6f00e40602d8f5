#include <diagnose/facts/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace nasdiag::facts {

namespace {

constexpr std::size_t largest_file = 8 << 20;

std::string read_all(int file) {
  std::string text;
  char piece[16384];
  while (text.size() < largest_file) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

constexpr std::string_view space = " \t\n\r\f\v";

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  // Some files open but can't be read: /sys/class/net/lo/speed says EINVAL. They give an empty text.
  std::string text = read_all(descriptor);
  ::close(descriptor);
  return text;
}

std::optional<std::string> read_line(const std::filesystem::path& file) {
  const std::optional<std::string> text = read_text(file);
  if (!text) return std::nullopt;
  const std::string_view line = trimmed(std::string_view(*text).substr(0, text->find('\n')));
  if (line.empty()) return std::nullopt;
  return std::string(line);
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& file) {
  const std::optional<std::string> line = read_line(file);
  return line ? to_number<std::int64_t>(*line) : std::nullopt;
}

std::optional<std::string> read_link_name(const std::filesystem::path& link) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(link, error);
  if (error) return std::nullopt;
  return target.filename().string();
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(space); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(space, at);
    words.push_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : text.find_first_not_of(space, end);
  }
  return words;
}

}  // namespace nasdiag::facts
