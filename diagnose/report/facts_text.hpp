#pragma once

#include <diagnose/evidence/facts.hpp>

#include <string>

namespace nasdiag::report {

// What is there, a line for each part, and below it what is worth knowing about it.
std::string facts_text(const evidence::Facts& facts, const evidence::LinkPayload& link);

}  // namespace nasdiag::report
