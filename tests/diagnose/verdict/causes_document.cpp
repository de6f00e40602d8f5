#include "causes_document.hpp"

#include <diagnose/verdict/catalogue.hpp>

#include <algorithm>

namespace nasdiag::test {

namespace {

using verdict::Cause;
using verdict::Family;
using verdict::LookAlike;

std::string look_alikes_of(const Cause& cause) {
  std::string text;
  for (const LookAlike& look_alike : cause.look_alikes)
    if (!look_alike.id.empty())
      text += "  - `" + std::string(look_alike.id) + "`: " + std::string(look_alike.told_apart_by) + "\n";
  return text;
}

std::string section_of(const Cause& cause) {
  std::string text = "### " + std::string(cause.id) + "\n\n" + std::string(cause.meaning) + ".\n\n";
  text += "- Seen: " + std::string(cause.seen) + ".\n";
  text += "- Against it: " + std::string(cause.against) + ".\n";
  const std::string look_alikes = look_alikes_of(cause);
  if (!look_alikes.empty()) text += "- Looks like it, and what tells them apart:\n" + look_alikes;
  text += "- What to do: " + std::string(cause.advice) + "\n";
  text += "- Gain: " + std::string(cause.gain) + ".\n";
  if (cause.recognise == nullptr) text += "- nasdiag doesn't name it by itself: no single run shows it.\n";
  return text + "\n";
}

}  // namespace

std::string causes_document() {
  std::string text =
      "# Causes\n\n"
      "What nasdiag's verdict can name, family by family: what must be seen, what speaks against it, which "
      "causes "
      "look alike and by which observation they are told apart, what to do, and what that brings. A verdict "
      "names "
      "two causes where the evidence can't separate them, and the measurement that would.\n\n"
      "Made from the catalogue (`diagnose/verdict/causes`) by `causes_document`; don't edit it by hand.\n\n";
  for (const Family& family : verdict::families()) {
    text += "## " + std::string(family.name) + "\n\n" + std::string(family.meaning) + ".\n\n";
    for (const Cause& cause : family.causes) text += section_of(cause);
  }
  text.pop_back();
  return text;
}

}  // namespace nasdiag::test
