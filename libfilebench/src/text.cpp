#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace nasdiag::filebench {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

int digit(char c, int base) {
  int value = 99;
  if (c >= '0' && c <= '9') value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

// `marker`, then `count` digits of `base`, become one byte; anything else stays.
std::string unescape(std::string_view text, char marker, std::size_t count, int base) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int value = 0;
    bool escaped = text[i] == marker && i + count < text.size();
    for (std::size_t k = 1; escaped && k <= count; ++k) {
      const int next = digit(text[i + k], base);
      escaped = next >= 0;
      value = value * base + next;
    }
    plain += escaped ? static_cast<char>(value) : text[i];
    if (escaped) i += count;
  }
  return plain;
}

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream whole;
  if (in) whole << in.rdbuf();
  return std::move(whole).str();
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? std::vector<std::string_view>() : split(text, '\n');
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::int64_t> number(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::string_view word_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + label.size());
  const std::size_t first = rest.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  const std::size_t end = std::min(rest.find_first_of(kBlank, first), rest.size());
  return rest.substr(first, end - first);
}

std::optional<std::int64_t> number_after(std::string_view line, std::string_view label) {
  const std::string_view word = word_after(line, label);
  std::int64_t value = 0;
  if (std::from_chars(word.data(), word.data() + word.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

std::string unescape_octal(std::string_view text) { return unescape(text, '\\', 3, 8); }

std::string unescape_percent(std::string_view text) { return unescape(text, '%', 2, 16); }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace nasdiag::filebench
