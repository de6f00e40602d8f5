#include "auth.hpp"

#include "iperf3_process.hpp"
#include "support/temp_dir.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace nasdiag::tests;
using namespace std::chrono_literals;

namespace {

struct KeyPair {
  std::string private_pem;
  std::string public_pem;
};

template <class Write>
std::string pem_of(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
  write(memory.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// Made once: it takes a while.
const KeyPair& keys() {
  static const KeyPair pair = [] {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(2048), &EVP_PKEY_free);
    return KeyPair{pem_of([&](BIO* out) {
                     PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                   }),
                   pem_of([&](BIO* out) { PEM_write_bio_PUBKEY(out, key.get()); })};
  }();
  return pair;
}

// The login that the installed iperf3 knows: before 3.17 it padded in the old way.
std::optional<Padding> iperf3_padding() {
  const std::string version = iperf3_version();
  int minor = 0;
  if (std::sscanf(version.c_str(), "iperf 3.%d", &minor) != 1 ||
      version.find("authentication") == std::string::npos) {
    return std::nullopt;
  }
  return minor < 17 ? Padding::pkcs1 : Padding::oaep;
}

std::string write_file(const test::TempDir& folder, const char* name, const std::string& text) {
  std::string file = folder.path() / name;
  std::ofstream(file) << text;
  return file;
}

std::string users() { return "# the users\nmario," + password_hash("mario", "rossi") + "\n"; }

}  // namespace

TEST_CASE("the hash of a password is iperf3's") {
  // printf '{mario}rossi' | sha256sum
  CHECK(password_hash("mario", "rossi") ==
        "bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b");
}

TEST_CASE("a login is accepted if all of it is right") {
  const WallTime now = std::chrono::system_clock::now();
  const Padding padding = GENERATE(Padding::oaep, Padding::pkcs1);
  const std::string token = make_auth_token({"mario", "rossi", keys().public_pem, padding}, now);
  CHECK(token_is_valid(token, keys().private_pem, users(), now));
  CHECK(token_is_valid(token, keys().private_pem, users(), now + 9s));
  CHECK_FALSE(token_is_valid(token, keys().private_pem, users(), now + 12s));
  CHECK_FALSE(token_is_valid(token, keys().private_pem, users(), now - 12s));
  CHECK_FALSE(token_is_valid(token, keys().private_pem, "", now));
  CHECK_FALSE(token_is_valid(token.substr(4), keys().private_pem, users(), now));
  CHECK_FALSE(token_is_valid("", keys().private_pem, users(), now));
  const std::string wrong = make_auth_token({"mario", "verdi", keys().public_pem, padding}, now);
  CHECK_FALSE(token_is_valid(wrong, keys().private_pem, users(), now));
}

TEST_CASE("a key that is none is an error") {
  CHECK_THROWS_AS(make_auth_token({"a", "b", "no key", Padding::oaep}, {}), std::system_error);
}

TEST_CASE("a server with users serves them alone") {
  ServerOptions serving;
  serving.port = 0;
  serving.private_key_pem = keys().private_pem;
  serving.authorized_users = users();
  Server server(serving);
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.time = 200ms;
  try {
    measure_tcp(options, progress, {});
    FAIL("it served without a login");
  } catch (const std::system_error& error) {
    CHECK(error.code() == Errc::auth_required);
  }
  options.credentials = Credentials{"mario", "rossi", keys().public_pem, Padding::oaep};
  const TcpResult result = measure_tcp(options, progress, {});
  CHECK(result.complete);
  CHECK_FALSE(result.options.credentials);
}

TEST_CASE("iperf3 -s with users lets our login in, and no other") {
  const auto padding = iperf3_padding();
  if (!padding) {
    WARN("SKIPPED: there is no iperf3 with authentication");
    return;
  }
  const test::TempDir folder;
  Iperf3Server server({"--rsa-private-key-path", write_file(folder, "key.pem", keys().private_pem),
                       "--authorized-users-path", write_file(folder, "users.csv", users())});
  measure::NoProgress progress;
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.time = 200ms;
  options.credentials = Credentials{"mario", "rossi", keys().public_pem, *padding};
  CHECK(measure_tcp(options, progress, {}).complete);
  options.credentials->password = "verdi";
  try {
    measure_tcp(options, progress, {});
    FAIL("a wrong password was accepted");
  } catch (const std::system_error& error) {
    CHECK(error.code() == Errc::auth_required);
  }
}

TEST_CASE("iperf3 -c is let in by our server with its login") {
  if (!iperf3_padding()) {
    WARN("SKIPPED: there is no iperf3 with authentication");
    return;
  }
  const test::TempDir folder;
  ServerOptions serving;
  serving.port = 0;
  serving.private_key_pem = keys().private_pem;
  serving.authorized_users = users();
  Server server(serving);
  const std::string key = write_file(folder, "public.pem", keys().public_pem);
  const bool right = GENERATE(true, false);
  ::setenv("IPERF3_PASSWORD", right ? "rossi" : "verdi", 1);
  Iperf3 client({"-c", "127.0.0.1", "-p", std::to_string(server.port()), "-t", "1", "--username", "mario",
                 "--rsa-public-key-path", key});
  ::unsetenv("IPERF3_PASSWORD");
  const int ended = client.wait();
  INFO(client.output());
  CHECK((ended == 0) == right);
}
