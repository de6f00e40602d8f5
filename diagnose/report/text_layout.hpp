#pragma once

// Plain text for terminals: wrapping, padding by what is seen rather than by bytes, bars, colour.

#include <string>
#include <string_view>

namespace nasdiag::report {

struct TextStyle {
  int width = 80;
  bool colour = false;
};

enum class Emphasis { none, strong, good, bad, faint };

std::string emphasize(std::string_view text, Emphasis emphasis, const TextStyle& style);
// Columns on a terminal: one per code point (what is printed here has no wide or combining characters).
int columns(std::string_view utf8);
std::string padded(std::string_view text, int width);         // spaces after it
std::string right_aligned(std::string_view text, int width);  // spaces before it
// A bar of `width` columns, filled to an eighth of a column.
std::string bar(double fraction, int width);
// Breaks at spaces; the first line starts with `first`, the others with as many spaces.
std::string wrapped(std::string_view text, std::string_view first, int width);
// Without control characters: names and messages from elsewhere are never printed raw.
std::string printable(std::string_view text);

}  // namespace nasdiag::report
