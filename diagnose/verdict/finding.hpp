#pragma once

// Which of the recognised causes is named, which beside it, and what would settle it.

#include <diagnose/verdict/causes/situation.hpp>
#include <diagnose/verdict/verdict.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::verdict {

struct Finding {
  Candidate named;
  Confidence confidence = Confidence::possible;
  std::vector<Candidate> alternatives;   // of at most one other layer
  std::optional<std::string> settle_by;  // tells the named one from the first alternative
  std::vector<std::string> evidence;     // beside the sentence that compares the rates
  std::string advice;
};

Finding find(const Situation& situation);

}  // namespace nasdiag::verdict
