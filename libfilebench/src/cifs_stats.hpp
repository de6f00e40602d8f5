#pragma once

// /proc/fs/cifs/Stats and DebugData into structs.

#include <filebench/counters.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::filebench {

struct CifsShare {
  std::string name;  // \\server\share
  ByteCount read;
  ByteCount written;
  std::int64_t requests = 0;
};

// The command table and the reconnects are those of all connections together.
struct CifsStats {
  std::int64_t session_reconnects = 0;
  std::int64_t share_reconnects = 0;
  std::int64_t slow_responses = 0;
  std::int64_t max_in_flight = 0;
  std::vector<SmbCommand> commands;
  std::vector<CifsShare> shares;
};

CifsStats parse_cifs_stats(std::string_view text);

struct CifsShareState {
  std::string name;  // \\server\share
  bool encrypted = false;
};

struct CifsServerInterface {
  std::string address;
  std::int64_t bits_per_second = 0;
};

struct CifsServer {
  std::string hostname;
  std::string address;
  int dialect = 0;  // 0x311
  bool signs = false;
  bool encrypts = false;  // the whole session
  std::int64_t connections = 1;
  std::int64_t instance = 0;  // of the connection: how often it was made
  std::vector<CifsShareState> shares;
  std::vector<CifsServerInterface> interfaces;  // as the server reports them
};

std::vector<CifsServer> parse_cifs_debug_data(std::string_view text);

// Whether \\server\share names the share of a mount whose source is //server/share[/sub] and whose address is
// `address`.
bool is_share_of(std::string_view share_name, std::string_view mount_source, std::string_view address);

}  // namespace nasdiag::filebench
