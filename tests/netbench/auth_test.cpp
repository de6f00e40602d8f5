#include "auth.hpp"

#include "iperf3_process.hpp"

#include <netbench/client.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <catch2/catch.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <chrono>
#include <memory>

using namespace nasdiag;
using namespace nasdiag::netbench;
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
