// By which names this machine is reached: a mount of its own shares uses no network interface.

#include "own_names.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstring>
#include <set>
#include <string>

namespace fb = nasdiag::filebench;

TEST_CASE("own IPv4 addresses are the local host routes") {
  const char* text =
      "Main:\n"
      "  +-- 0.0.0.0/0 3 0 5\n"
      "     |-- 0.0.0.0\n"
      "        /0 universe UNICAST\n"
      "        |-- 127.0.0.0\n"
      "           /8 host LOCAL\n"
      "        |-- 127.0.0.1\n"
      "           /32 host LOCAL\n"
      "     |-- 192.0.2.2\n"
      "        /32 host LOCAL\n"
      "     |-- 192.0.2.255\n"
      "        /32 link BROADCAST\n";
  CHECK(fb::addresses_in_fib_trie(text) == std::set<std::string>{"127.0.0.1", "192.0.2.2"});
  CHECK(fb::addresses_in_fib_trie("/32 host\n|--\n").empty());
}

TEST_CASE("own IPv6 addresses are written as they are usually") {
  const char* text =
      "fd000000000000000000000000000002 04 40 00 82     eth0\n"
      "00000000000000000000000000000001 01 80 10 80       lo\n"
      "fd0000000000000000000000000000zz 04 40 00 82     eth0\n"
      "fd00\n";
  CHECK(fb::addresses_in_if_inet6(text) == std::set<std::string>{"::1", "fd00::2"});
}

TEST_CASE("this machine knows its own name, and no other") {
  char name[256] = {};
  REQUIRE(::gethostname(name, sizeof name - 1) == 0);
  CHECK(fb::is_own_name("/", name));
  CHECK(fb::is_own_name("/", std::string(name, std::strcspn(name, ".")) + ".local"));
  CHECK(fb::is_own_name("/", "127.0.0.1"));
  CHECK_FALSE(fb::is_own_name("/", std::string("not-") + name));
  CHECK_FALSE(fb::is_own_name("/", "203.0.113.77"));
  CHECK_FALSE(fb::is_own_name("/", ""));
}
