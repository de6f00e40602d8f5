// Whom the program behind a mount talks to.

#include "process_peers.hpp"

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace fb = nasdiag::filebench;

namespace {

// Addresses stand there as this machine holds them.
std::string word(const char* address) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", ::inet_addr(address));
  return text;
}

std::string row(const std::string& remote, const char* state, int inode) {
  return "   0: " + word("192.0.2.9") + ":C350 " + remote + " " + state +
         " 00000000:00000000 02:000A 00000000  1000        0 " + std::to_string(inode) +
         " 2 0000 20 4 30 10 -1\n";
}

}  // namespace

TEST_CASE("the peers of a process are its own established connections to other machines") {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n" +
      row(word("192.0.2.5") + ":0016", "01", 7) +  // the one
      row(word("192.0.2.6") + ":0016", "01", 8) +  // somebody else's
      row(word("192.0.2.7") + ":0016", "06", 7) +  // gone
      row(word("127.0.0.1") + ":0016", "01", 7) +  // this machine
      row("zz:0016", "01", 7) + row("0100:16", "01", 7) + "7\n";
  CHECK(fb::peers_in_table(table, {7}) == std::vector<fb::TcpPeer>{{"192.0.2.5", 22}});
  CHECK(fb::peers_in_table(table, {}).empty());
  CHECK(fb::peers_in_table("", {7}).empty());
}

TEST_CASE("peers by IPv6, and by IPv4 mapped into IPv6") {
  const std::string zeros = "00000000";
  const std::string mapped = zeros + zeros + word("0.0.255.255") + word("192.0.2.5");
  const std::string v6 = word("32.1.13.184") + zeros + zeros + word("0.0.0.1");
  CHECK(fb::peers_in_table(row(mapped + ":01BB", "01", 3), {3}) ==
        std::vector<fb::TcpPeer>{{"192.0.2.5", 443}});
  CHECK(fb::peers_in_table(row(v6 + ":01BB", "01", 3), {3}) ==
        std::vector<fb::TcpPeer>{{"2001:db8::1", 443}});
}

TEST_CASE("a process without connections, or that isn't there, has no peers") {
  CHECK_FALSE(fb::only_peer("/", ::getpid()));
  CHECK_FALSE(fb::only_peer("/", 0));
}
