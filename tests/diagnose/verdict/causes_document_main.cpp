#include "causes_document.hpp"

#include <iostream>

// Prints docs/causes.md:  causes_document > docs/causes.md
int main() {
  std::cout << nasdiag::test::causes_document();
  return 0;
}
