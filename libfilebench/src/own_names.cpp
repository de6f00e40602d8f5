#include "own_names.hpp"

#include "text.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>

namespace nasdiag::filebench {

namespace {

std::string_view without_domain(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

// "fd000000000000000000000000000002" to "fd00::2"; empty if it is anything else.
std::string address_in(std::string_view digits) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (digits.size() != 2 * bytes.size()) return {};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::string_view two = digits.substr(2 * i, 2);
    const auto [end, error] = std::from_chars(two.data(), two.data() + two.size(), bytes[i], 16);
    if (error != std::errc() || end != two.data() + two.size()) return {};
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
}

}  // namespace

// "   |-- 192.0.2.2" and, on the next line, "      /32 host LOCAL".
std::set<std::string> addresses_in_fib_trie(std::string_view text) {
  std::set<std::string> addresses;
  std::string_view last;
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() == 2 && words[0] == "|--")
      last = words[1];
    else if (words.size() == 3 && words[0] == "/32" && words[1] == "host" && words[2] == "LOCAL")
      addresses.emplace(last);
  }
  return addresses;
}

std::set<std::string> addresses_in_if_inet6(std::string_view text) {
  std::set<std::string> addresses;
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    std::string address = words.empty() ? std::string() : address_in(words[0]);
    if (!address.empty()) addresses.insert(std::move(address));
  }
  return addresses;
}

bool is_own_name(const std::filesystem::path& root, std::string_view name) {
  if (name.empty()) return false;
  const std::string wanted(name);
  if (is_address(wanted))
    return addresses_in_fib_trie(read_text(root / "proc/net/fib_trie")).contains(wanted) ||
           addresses_in_if_inet6(read_text(root / "proc/net/if_inet6")).contains(wanted);
  const std::string own = read_text(root / "proc/sys/kernel/hostname");
  return without_domain(trimmed(own)) == without_domain(name);
}

}  // namespace nasdiag::filebench
