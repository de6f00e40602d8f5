#pragma once

// The command line of `nasdiag net`: iperf3's letters, and a few words more.

#include "nasdiag/command_line.hpp"

#include <netbench/options.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::app {

struct NetRequest {
  netbench::TcpOptions options;
  std::chrono::milliseconds interval{1000};  // of the table; 0: only the sums
  bool json_to_stdout = false;               // and only that
  std::string json_file;
  bool stream_sweep = false;
  std::optional<std::vector<measure::ByteCount>> window_sweep;
  bool path_only = false;
  bool help_shown = false;
};

// Throws UsageError.
NetRequest parse_net_request(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
