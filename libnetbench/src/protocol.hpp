#pragma once

// The iperf3 control protocol as values: states, the two messages, stream numbers. No sockets here.
//
// What is read comes from a peer that may be old, broken or hostile: every reader is bounded and throws
// std::system_error (Errc::protocol, or BadParameters for a client's request) for what it can't accept.

#include <netbench/error.hpp>
#include <netbench/options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::netbench {

// One signed byte on the control connection.
enum class State : std::int8_t {
  test_start = 1,
  test_running = 2,
  test_end = 4,
  param_exchange = 9,
  create_streams = 10,
  server_terminate = 11,
  client_terminate = 12,
  exchange_results = 13,
  display_results = 14,
  iperf_done = 16,
  access_denied = -1,
  server_error = -2
};

std::string describe(State state);

inline constexpr std::size_t kCookieSize = 37;  // 36 characters and a NUL
inline constexpr std::uint32_t kLargestParameters = 8192;
inline constexpr std::uint32_t kLargestResults = 4U << 20U;  // a server's own report may be in it
inline constexpr int kMostStreams = 128;                     // per direction
inline constexpr std::int64_t kLargestBlock = 1 << 20;

std::string make_cookie();

// Both ends number the streams in the order they are opened: 1, 3, 4, 5, …
constexpr int stream_id(std::size_t index) { return index == 0 ? 1 : static_cast<int>(index) + 2; }

// Length and body, as one piece.
std::string frame(std::string_view body);
std::uint32_t frame_length(std::string_view four_bytes);

// What a client asks for.
struct Parameters {
  std::int64_t omit = 0;   // seconds
  std::int64_t time = 10;  // seconds, 0 = no limit
  std::int64_t amount = 0;
  std::int64_t blocks = 0;
  int streams = 1;
  Flow flow = Flow::write;
  std::int64_t block_size = std::int64_t{128} * 1024;
  std::int64_t window = 0;
  int segment_size = 0;
  bool nodelay = false;
  std::int64_t rate = 0;         // bit/s per stream, paced by the program
  std::int64_t kernel_rate = 0;  // the same, paced by the kernel
  int type_of_service = 0;
  std::string congestion;
  std::string title;
  std::string auth_token;
  bool zero_copy = false;
  bool discard = false;       // skip_rx_copy
  bool wants_output = false;  // get_server_output
  std::string client_version;
  bool operator==(const Parameters&) const = default;
};

// A request that is refused; carries iperf3's code for it.
struct Refusal {
  std::int32_t code = 114;
  std::string reason;
};

std::string write_parameters(const Parameters& parameters);
// Defaults for what is missing; a Refusal for what is wrong or out of bounds.
struct ParsedParameters {
  Parameters parameters;
  std::optional<Refusal> refusal;
};
ParsedParameters read_parameters(std::string_view json);

struct StreamReport {
  int id = 0;
  std::int64_t bytes = 0;
  std::int64_t retransmits = -1;  // -1: receiver, or not known
  double end_time = 0;            // seconds; 0 = not told (before 3.2)
  bool operator==(const StreamReport&) const = default;
};

// What each end tells the other after the test.
struct Results {
  double cpu_total = 0;
  double cpu_user = 0;
  double cpu_system = 0;
  int sender_has_retransmits = -1;
  std::string congestion;
  std::string server_output;
  std::vector<StreamReport> streams;
  bool operator==(const Results&) const = default;
};

std::string write_results(const Results& results);
Results read_results(std::string_view json);

// Error codes of iperf3 that our server sends or our client explains.
namespace iperf_code {
inline constexpr std::int32_t kDuration = 5;
inline constexpr std::int32_t kStreams = 6;
inline constexpr std::int32_t kBlockSize = 7;
inline constexpr std::int32_t kWindow = 8;
inline constexpr std::int32_t kSegmentSize = 10;
inline constexpr std::int32_t kRateLimit = 27;
inline constexpr std::int32_t kDurationLimit = 37;
inline constexpr std::int32_t kUnexpectedState = 110;
inline constexpr std::int32_t kParameters = 114;
inline constexpr std::int32_t kResults = 117;
inline constexpr std::int32_t kBusy = 121;
inline constexpr std::int32_t kNoProtocol = 131;
inline constexpr std::int32_t kAuthentication = 142;
inline constexpr std::int32_t kNoData = 144;
inline constexpr std::int32_t kDurationExpired = 160;
}  // namespace iperf_code

// State FE and the two words.
std::string write_server_error(std::int32_t code, std::int32_t system_error);
std::string describe_iperf_code(std::int32_t code);

// Printable ASCII and UTF-8 stay, line ends stay, every other control character becomes '?'; cut to `longest`
// bytes.
std::string sanitise(std::string_view text, std::size_t longest);

}  // namespace nasdiag::netbench
