#pragma once

// Small helpers for the kernel's text files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

// All of a small file; empty if it can't be read.
std::string read_text(const std::filesystem::path& file);

// Non-empty words between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// Pieces between separators, empty ones included.
std::vector<std::string_view> split(std::string_view text, char separator);

std::vector<std::string_view> lines_of(std::string_view text);

std::string_view trimmed(std::string_view text);

// The whole word as a number, decimal; nothing if it isn't one.
std::optional<std::int64_t> number(std::string_view word);

// The number after `label` in `line` ("Bytes read: 12"); nothing if it isn't there.
std::optional<std::int64_t> number_after(std::string_view line, std::string_view label);

// The word after `label`; empty if it isn't there.
std::string_view word_after(std::string_view line, std::string_view label);

// Backslash and three octal digits become the byte, as in /proc/self/mountinfo.
std::string unescape_octal(std::string_view text);

// %2F becomes the byte, as in URIs.
std::string unescape_percent(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace nasdiag::filebench
