#pragma once

namespace nasdiag::verdict {

enum class Confidence { possible, likely, certain };

constexpr const char* to_string(Confidence confidence) {
  switch (confidence) {
    case Confidence::possible:
      return "possible";
    case Confidence::likely:
      return "likely";
    case Confidence::certain:
      return "certain";
  }
  return "possible";
}

}  // namespace nasdiag::verdict
