#pragma once

// By which names and addresses this machine is reached.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace nasdiag::filebench {

// Addresses in /proc/net/fib_trie (IPv4) and /proc/net/if_inet6 (IPv6), as inet_ntop writes them.
std::set<std::string> addresses_in_fib_trie(std::string_view text);
std::set<std::string> addresses_in_if_inet6(std::string_view text);

// Whether a server called so is this machine: its host name (with or without a domain) or an address of its
// own.
bool is_own_name(const std::filesystem::path& root, std::string_view name);

}  // namespace nasdiag::filebench
