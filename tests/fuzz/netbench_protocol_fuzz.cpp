// Everything that is read from a peer's socket: parameters, results, lengths, texts.

#include "protocol.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace nasdiag::netbench;

void require(bool condition) {
  if (!condition) std::abort();
}

bool printable(const std::string& text) {
  for (const char c : text) {
    if (c == '\x1b' || c == '\x7f' || c == '\0') return false;
  }
  return true;
}

void check_parameters(std::string_view text) {
  const ParsedParameters parsed = read_parameters(text);
  const Parameters& p = parsed.parameters;
  require(printable(p.title) && printable(p.congestion) && p.congestion.size() <= 16);
  if (parsed.refusal) return;
  require(p.streams >= 1 && p.streams <= kMostStreams);
  require(p.block_size >= 1 && p.block_size <= kLargestBlock);
  require(p.time >= 0 && p.omit >= 0 && p.amount >= 0 && p.blocks >= 0 && p.rate >= 0);
  // What was accepted and can be written is accepted again, and means the same.
  const ParsedParameters again = read_parameters(write_parameters(p));
  require(!again.refusal && again.parameters == p);
}

void check_results(std::string_view text) {
  Results results;
  try {
    results = read_results(text);
  } catch (const std::system_error&) {
    return;
  }
  require(results.streams.size() <= 2 * std::size_t{kMostStreams});
  require(std::isfinite(results.cpu_total) && results.cpu_total >= 0);
  require(printable(results.server_output));
  for (const StreamReport& stream : results.streams) {
    require(stream.bytes >= 0 && stream.retransmits >= -1 && stream.end_time >= 0 &&
            std::isfinite(stream.end_time));
  }
}

}  // namespace

// The first byte says what the rest is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);  // NOLINT: bytes as text
  switch (data[0] % 3) {
    case 0:
      check_parameters(rest);
      break;
    case 1:
      check_results(rest);
      break;
    default:
      frame_length(rest);
      require(printable(sanitise(rest, 100)) && sanitise(rest, 100).size() <= 100);
  }
  return 0;
}
