#pragma once

// What qualifies a result: something that was seen, why it matters, what to do. Notes are saved with
// the result; the libraries never log.

#include <string>
#include <vector>

namespace nasdiag::measure {

enum class Severity {
  info,     // worth knowing (which engine ran, why a stage ended early)
  warning,  // the figure may mislead (data came out of a cache, the disk was busy already)
  void_     // the figure must not be used as a rate
};

struct Note {
  std::string code;  // stable word for scripts and rules: "buffered-fallback", "receive-window-limited"
  Severity severity = Severity::info;
  std::string text;  // one or two sentences for people
  bool operator==(const Note&) const = default;
};

using Notes = std::vector<Note>;

constexpr const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::void_:
      return "void";
  }
  return "info";
}

}  // namespace nasdiag::measure
