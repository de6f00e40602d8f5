#include <diagnose/formats/pasted_text.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>

// Any text: no crash, and no figure that can't be saved.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = nasdiag::formats::read_pasted_text(
      {reinterpret_cast<const char*>(data), size});  // NOLINT: bytes as text
  for (const auto& figure : text.figures)
    if (figure.rate && !std::isfinite(figure.rate->bits_per_second())) std::abort();
  return 0;
}
