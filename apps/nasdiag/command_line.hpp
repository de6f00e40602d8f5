#pragma once

// What all subcommands share: their shape, strict parsing, help, exit codes.

#include <boost/program_options.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::app {

namespace po = boost::program_options;

enum ExitCode : int {
  kDone = 0,
  kLayerFailed = 1,  // done, but a layer could not be measured
  kUsage = 2,
  kNothingMeasured = 3,
  kSlower = 4,  // compare --fail-if-slower
  kInterrupted = 130
};

// A subcommand: name, one line for the overview, and what runs it with the words after its name.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
};

// The command line can't be understood; the text says what was wrong and what is possible.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Help of one subcommand: usage line, one paragraph, options, examples.
struct Help {
  std::string_view usage;  // "nasdiag run --server HOST[:PORT] --mount DIR [options]"
  std::string_view description;
  std::string_view examples;  // lines, indented by two spaces
};

// Parses strictly: no abbreviations, no unknown or repeated options, no stray words. Adds --help; when it is
// given, prints the help and returns nothing, and the command should return kDone. Throws UsageError.
struct ParsedOptions {
  po::variables_map values;
  bool help_shown = false;
};
ParsedOptions parse_options(const std::vector<std::string>& arguments, const po::options_description& options,
                            const po::positional_options_description& positional, const Help& help);

// HOST, HOST:PORT, [V6]:PORT, a bare IPv6 address. Throws UsageError.
struct HostPort {
  std::string host;
  int port;
};
HostPort parse_host_port(const std::string& text, int default_port);

}  // namespace nasdiag::app
