#include "process_peers.hpp"

#include "text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace nasdiag::filebench {

namespace {

constexpr std::string_view kEstablished = "01";

std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Words of 32 bits, each as this machine holds it in memory: one for IPv4, four for IPv6.
std::optional<std::string> address_in(std::string_view digits) {
  constexpr std::size_t kDigitsOfWord = 8;
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = digits.size() / kDigitsOfWord;
  if (digits.size() % kDigitsOfWord != 0 || (count != 1 && count != words.size())) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = hexadecimal(digits.substr(i * kDigitsOfWord, kDigitsOfWord));
    if (!word) return std::nullopt;
    words[i] = *word;
  }
  const bool mapped = count == words.size() && words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff);
  char text[INET6_ADDRSTRLEN];
  const bool v4 = count == 1 || mapped;
  const void* bytes = mapped ? static_cast<const void*>(&words[3]) : words.data();
  return std::string(::inet_ntop(v4 ? AF_INET : AF_INET6, bytes, text, sizeof text));
}

// "0100004D:0016"
std::optional<TcpPeer> peer_in(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = address_in(word.substr(0, colon));
  const auto port = hexadecimal(word.substr(colon + 1));
  if (!address || !port || *port > 65535) return std::nullopt;
  return TcpPeer{.address = *address, .port = static_cast<std::uint16_t>(*port)};
}

bool within_this_machine(const TcpPeer& peer) {
  return peer.address.starts_with("127.") || peer.address == "::1";
}

std::set<std::int64_t> sockets_of(const std::filesystem::path& process) {
  constexpr std::string_view kPrefix = "socket:[";
  std::set<std::int64_t> inodes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(process / "fd", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry->path(), gone).string();
    if (!target.starts_with(kPrefix) || !target.ends_with(']')) continue;
    const auto inode =
        number(std::string_view(target).substr(kPrefix.size(), target.size() - kPrefix.size() - 1));
    if (inode) inodes.insert(*inode);
  }
  return inodes;
}

}  // namespace

std::vector<TcpPeer> peers_in_table(std::string_view table, const std::set<std::int64_t>& inodes) {
  constexpr std::size_t kRemote = 2;
  constexpr std::size_t kState = 3;
  constexpr std::size_t kInode = 9;
  std::vector<TcpPeer> peers;
  for (const std::string_view line : lines_of(table)) {
    const auto words = words_of(line);
    if (words.size() <= kInode || words[kState] != kEstablished) continue;
    const auto inode = number(words[kInode]);
    const auto peer = peer_in(words[kRemote]);
    if (inode && peer && inodes.contains(*inode) && !within_this_machine(*peer)) peers.push_back(*peer);
  }
  return peers;
}

std::optional<TcpPeer> only_peer(const std::filesystem::path& root, int pid) {
  const std::filesystem::path process = root / "proc" / std::to_string(pid);
  const auto inodes = sockets_of(process);
  if (inodes.empty()) return std::nullopt;
  std::vector<TcpPeer> peers = peers_in_table(read_text(process / "net/tcp"), inodes);
  for (TcpPeer& peer : peers_in_table(read_text(process / "net/tcp6"), inodes))
    peers.push_back(std::move(peer));
  const bool one = !peers.empty() && std::all_of(peers.begin(), peers.end(), [&](const TcpPeer& peer) {
    return peer.address == peers.front().address;
  });
  return one ? std::optional(peers.front()) : std::nullopt;
}

}  // namespace nasdiag::filebench
