#include "cifs_stats.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nasdiag::filebench {

namespace {

constexpr std::array<std::string_view, 19> kCommandNames{
    "NEGOTIATE",       "SESSION_SETUP", "LOGOFF",     "TREE_CONNECT", "TREE_DISCONNECT", "CREATE", "CLOSE",
    "FLUSH",           "READ",          "WRITE",      "LOCK",         "IOCTL",           "CANCEL", "ECHO",
    "QUERY_DIRECTORY", "CHANGE_NOTIFY", "QUERY_INFO", "SET_INFO",     "OPLOCK_BREAK"};

// A row of the command table: number, count, total, fastest, slowest.
bool add_command(std::string_view line, double jiffies_per_second, CifsStats& stats) {
  const auto words = words_of(line);
  if (words.size() != 5 || jiffies_per_second <= 0) return false;
  const auto command = number(words[0]);
  const auto count = number(words[1]);
  const auto total = number(words[2]);
  if (!command || !count || !total || *command < 0 ||
      *command >= static_cast<std::int64_t>(kCommandNames.size()))
    return false;
  const std::string_view name = kCommandNames[static_cast<std::size_t>(*command)];
  auto known = std::find_if(stats.commands.begin(), stats.commands.end(),
                            [&](const SmbCommand& entry) { return entry.name == name; });
  if (known == stats.commands.end())
    known = stats.commands.insert(stats.commands.end(), SmbCommand{.name = std::string(name)});
  known->number += *count;
  known->total_time += Seconds(static_cast<double>(*total) / jiffies_per_second);
  return true;
}

// "1) \\server\share" of Stats, also with words after it in DebugData.
std::optional<std::string> share_heading(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 2 || !words[0].ends_with(')') || !number(words[0].substr(0, words[0].size() - 1)))
    return std::nullopt;
  const std::string_view name = words[1] == "IPC:" && words.size() > 2 ? words[2] : words[1];
  if (!name.starts_with("\\\\")) return std::nullopt;
  // A share's name may hold blanks; it ends where the next known word begins.
  const std::size_t start = line.find("\\\\");
  const std::size_t end = std::min(line.find(" Mounts:", start), line.size());
  return std::string(trimmed(line.substr(start, end - start)));
}

void read_reconnects(std::string_view line, CifsStats& stats) {
  const auto words = words_of(line);
  if (words.size() != 5 || words[4] != "reconnects") return;
  stats.session_reconnects = number(words[0]).value_or(0);
  stats.share_reconnects = number(words[2]).value_or(0);
}

// "Speed: 10Gbps" (6.12) or "Speed: 10000000000 bps" (6.1).
std::int64_t speed_of(std::string_view line) {
  const std::string_view word = word_after(line, "Speed:");
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
  double factor = 1;
  if (unit.starts_with('G')) factor = 1e9;
  if (unit.starts_with('M')) factor = 1e6;
  if (unit.starts_with('K') || unit.starts_with('k')) factor = 1e3;
  return std::llround(value * factor);
}

bool contains_ignoring_case(std::string_view line, std::string_view word) {
  for (std::size_t at = 0; at + word.size() <= line.size(); ++at)
    if (equal_ignoring_case(line.substr(at, word.size()), word)) return true;
  return false;
}

void read_interface_line(std::string_view line, CifsServer& server) {
  if (line.find("Speed:") != std::string_view::npos)
    server.interfaces.push_back({.address = {}, .bits_per_second = speed_of(line)});
  for (const std::string_view label : {"IPv4:", "IPv6:"})
    if (!server.interfaces.empty() && line.find(label) != std::string_view::npos)
      server.interfaces.back().address = word_after(line, label);
}

void read_server_line(std::string_view line, CifsServer& server) {
  if (line.find("Dialect 0x") != std::string_view::npos) {
    const std::string_view hexadecimal = word_after(line, "Dialect 0x");
    std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), server.dialect, 16);
    if (trimmed(line).ends_with(" signed")) server.signs = true;
  }
  if (line.find("SessionId:") != std::string_view::npos) {
    if (line.find(" signed") != std::string_view::npos) server.signs = true;
    if (contains_ignoring_case(line, " encrypted")) server.encrypts = true;
  }
  if (const auto channels = number_after(line, "Extra Channels:")) server.connections = 1 + *channels;
  if (const auto instance = number_after(line, "Instance:"); instance && server.instance == 0)
    server.instance = *instance;
  if (const std::string_view address = word_after(line, ") Address:"); !address.empty())
    server.address = address;
  if (const auto share = share_heading(line)) server.shares.push_back({.name = *share});
  if (!server.shares.empty() && line.find("Serial Number:") != std::string_view::npos &&
      contains_ignoring_case(line, " encrypted"))
    server.shares.back().encrypted = true;
  read_interface_line(line, server);
}

}  // namespace

CifsStats parse_cifs_stats(std::string_view text) {
  CifsStats stats;
  double jiffies = 0;
  for (const std::string_view line : lines_of(text)) {
    if (add_command(line, jiffies, stats)) continue;
    if (const auto per_second = number_after(line, "Time units are jiffies ("))
      jiffies = static_cast<double>(*per_second);
    if (const auto most = number_after(line, "Max requests in flight:"))
      stats.max_in_flight = std::max(stats.max_in_flight, *most);
    read_reconnects(line, stats);
    if (line.find(" slow responses from ") != std::string_view::npos)
      stats.slow_responses += number(words_of(line).front()).value_or(0);
    if (const auto share = share_heading(line)) stats.shares.push_back({.name = *share});
    if (stats.shares.empty()) continue;
    if (const auto requests = number_after(line, "SMBs:")) stats.shares.back().requests = *requests;
    if (const auto read = number_after(line, "Bytes read:"))
      stats.shares.back().read = ByteCount::bytes(*read);
    if (const auto written = number_after(line, "Bytes written:"))
      stats.shares.back().written = ByteCount::bytes(*written);
  }
  return stats;
}

std::vector<CifsServer> parse_cifs_debug_data(std::string_view text) {
  std::vector<CifsServer> servers;
  for (const std::string_view line : lines_of(text)) {
    // Channels of a server have a ConnectionId too, but no host name.
    if (line.find("ConnectionId:") != std::string_view::npos &&
        line.find("Hostname:") != std::string_view::npos)
      servers.push_back({.hostname = std::string(word_after(line, "Hostname:"))});
    else if (!servers.empty())
      read_server_line(line, servers.back());
  }
  return servers;
}

bool is_share_of(std::string_view share_name, std::string_view mount_source, std::string_view address) {
  const auto parts = split(share_name, '\\');  // two empty ones, server, share
  const auto source = split(mount_source, '/');
  if (parts.size() < 4 || source.size() < 4) return false;
  const bool same_server = equal_ignoring_case(parts[2], source[2]) || parts[2] == address;
  return same_server && equal_ignoring_case(parts[3], source[3]);
}

}  // namespace nasdiag::filebench
