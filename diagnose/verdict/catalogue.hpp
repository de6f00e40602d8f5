#pragma once

// All causes that nasdiag can name. An identifier comes from here or nowhere: what recognises a cause gives
// no name, the row it stands in does.

#include <diagnose/verdict/causes/cause.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace nasdiag::verdict {

struct Family {
  std::string_view name;  // "nas-disk"
  std::string_view meaning;
  std::span<const Cause> causes;
};

// From the wire outwards; last the two that are no fault of a layer.
std::vector<Family> families();

const Cause* find_cause(std::string_view id);

struct Recognised {
  const Cause* cause;
  Sign sign;
};

// Every cause with a sign in this situation, strongest first; equal ones in the catalogue's order.
std::vector<Recognised> recognise(const Situation& situation);

// The observation that tells the two apart; empty if neither row knows the other.
std::string_view told_apart_by(const Cause& one, const Cause& other);

}  // namespace nasdiag::verdict
