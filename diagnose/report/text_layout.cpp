#include "diagnose/report/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace nasdiag::report {

std::string emphasize(std::string_view text, Emphasis emphasis, const TextStyle& style) {
  if (!style.colour || emphasis == Emphasis::none) return std::string(text);
  const char* code = "";
  switch (emphasis) {
    case Emphasis::none:
      break;
    case Emphasis::strong:
      code = "1";
      break;
    case Emphasis::good:
      code = "32";
      break;
    case Emphasis::bad:
      code = "1;33";
      break;
    case Emphasis::faint:
      code = "2";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

int columns(std::string_view utf8) {
  return static_cast<int>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not a continuation byte
  }));
}

std::string padded(std::string_view text, int width) {
  std::string result(text);
  result.append(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
  return result;
}

std::string right_aligned(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') + std::string(text);
}

std::string bar(double fraction, int width) {
  constexpr std::array<const char*, 8> kPartial{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8));
  std::string result;
  for (int i = 0; i < eighths / 8; ++i) result += "█";
  result += kPartial[static_cast<std::size_t>(eighths % 8)];
  if (result.empty() && fraction > 0) result = "▏";
  return padded(result, width);
}

std::string wrapped(std::string_view text, std::string_view first, int width) {
  const std::string indent(static_cast<std::size_t>(columns(first)), ' ');
  std::string result;
  std::string line(first);
  bool empty = true;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!empty && columns(line) + 1 + columns(word) > width) {
      result += line + '\n';
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return result + line + '\n';
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) result += c;
  return result;
}

}  // namespace nasdiag::report
