#include "causes_document.hpp"

#include <diagnose/verdict/catalogue.hpp>

#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace nasdiag;
using verdict::Cause;
using verdict::Family;
using verdict::LookAlike;

namespace {

std::string read_file(const std::string& name) {
  std::ifstream in(name);
  std::stringstream whole;
  whole << in.rdbuf();
  return whole.str();
}

}  // namespace

TEST_CASE("every identifier of the field cases' taxonomy is in the catalogue") {
  std::istringstream identifiers(read_file(std::string(NASDIAG_TEST_DATA) + "/field-cases/identifiers.txt"));
  std::size_t count = 0;
  for (std::string id; std::getline(identifiers, id); ++count) {
    INFO(id);
    CHECK(verdict::find_cause(id) != nullptr);
  }
  CHECK(count >= 80);
  CHECK(verdict::find_cause("mount/unheard-of") == nullptr);
}

TEST_CASE("identifiers are unique and begin with their family") {
  std::set<std::string_view> ids;
  for (const Family& family : verdict::families())
    for (const Cause& cause : family.causes) {
      INFO(cause.id);
      CHECK(ids.insert(cause.id).second);
      CHECK(cause.id.substr(0, cause.id.find('/')) == family.name);
    }
}

TEST_CASE("every row says what to see, what to do and what it brings") {
  for (const Family& family : verdict::families())
    for (const Cause& cause : family.causes) {
      INFO(cause.id);
      CHECK_FALSE(cause.meaning.empty());
      CHECK_FALSE(cause.seen.empty());
      CHECK_FALSE(cause.against.empty());
      CHECK(cause.advice.size() > 10);
      CHECK_FALSE(cause.gain.empty());
      CHECK(cause.layer.has_value() == (family.name != "bench"));
      CHECK_FALSE(cause.look_alikes.front().id.empty());
    }
}

TEST_CASE("look-alikes are causes of the catalogue and come with an observation") {
  for (const Family& family : verdict::families())
    for (const Cause& cause : family.causes)
      for (const LookAlike& look_alike : cause.look_alikes) {
        if (look_alike.id.empty()) continue;
        INFO(cause.id << " and " << look_alike.id);
        REQUIRE(verdict::find_cause(look_alike.id) != nullptr);
        CHECK(look_alike.id != cause.id);
        CHECK_FALSE(look_alike.told_apart_by.empty());
        CHECK_FALSE(verdict::told_apart_by(*verdict::find_cause(look_alike.id), cause).empty());
      }
}

TEST_CASE("docs/causes.md is made from the catalogue as it is") {
  // Out of date: causes_document > docs/causes.md
  CHECK(read_file(NASDIAG_DOCS "/causes.md") == test::causes_document());
}
