#include <measure/quantity_text.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>

// Any text: no crash, nothing negative, nothing infinite.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const auto bytes = nasdiag::measure::parse_byte_count(text);
  const auto rate = nasdiag::measure::parse_data_rate(text);
  const auto time = nasdiag::measure::parse_duration(text);
  if (bytes && bytes->bytes() < 0) std::abort();
  if (rate && !(rate->bits_per_second() >= 0 && std::isfinite(rate->bits_per_second()))) std::abort();
  if (time && time->count() < 0) std::abort();
  if (bytes) nasdiag::measure::to_text(*bytes);
  if (rate) nasdiag::measure::to_text(*rate);
  return 0;
}
