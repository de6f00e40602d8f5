#pragma once

#include <string>

namespace nasdiag::test {

// docs/causes.md, made from the catalogue of the verdict.
std::string causes_document();

}  // namespace nasdiag::test
