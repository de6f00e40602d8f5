#include "auth.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace nasdiag::netbench {

namespace {

using Bytes = std::vector<unsigned char>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)>;

constexpr std::chrono::seconds kAllowedDifference{10};
constexpr std::size_t kLongestToken = 4096;

template <class Read>
Key read_key(const std::string& pem, Read read) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return Key(read(memory.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

int padding_number(Padding padding) {
  return padding == Padding::oaep ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING;
}

std::optional<Bytes> encrypt(EVP_PKEY* key, Padding padding, const std::string& text) {
  const Context context(EVP_PKEY_CTX_new(key, nullptr), &EVP_PKEY_CTX_free);
  std::size_t size = 0;
  if (EVP_PKEY_encrypt_init(context.get()) <= 0 ||
      EVP_PKEY_CTX_set_rsa_padding(context.get(), padding_number(padding)) <= 0 ||
      EVP_PKEY_encrypt(context.get(), nullptr, &size, bytes_of(text), text.size()) <= 0) {
    return std::nullopt;
  }
  Bytes out(size);
  if (EVP_PKEY_encrypt(context.get(), out.data(), &size, bytes_of(text), text.size()) <= 0)
    return std::nullopt;
  out.resize(size);
  return out;
}

std::optional<std::string> decrypt(EVP_PKEY* key, Padding padding, const Bytes& secret) {
  const Context context(EVP_PKEY_CTX_new(key, nullptr), &EVP_PKEY_CTX_free);
  std::size_t size = 0;
  if (EVP_PKEY_decrypt_init(context.get()) <= 0 ||
      EVP_PKEY_CTX_set_rsa_padding(context.get(), padding_number(padding)) <= 0 ||
      EVP_PKEY_decrypt(context.get(), nullptr, &size, secret.data(), secret.size()) <= 0) {
    return std::nullopt;
  }
  Bytes out(size);
  if (EVP_PKEY_decrypt(context.get(), out.data(), &size, secret.data(), secret.size()) <= 0)
    return std::nullopt;
  return std::string(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
}

std::string to_base64(const Bytes& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<Bytes> from_base64(const std::string& text) {
  if (text.empty() || text.size() > kLongestToken || text.size() % 4 != 0) return std::nullopt;
  Bytes bytes(text.size() / 4 * 3);
  if (EVP_DecodeBlock(bytes.data(), bytes_of(text), static_cast<int>(text.size())) < 0) return std::nullopt;
  const std::size_t padded = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(bytes.size() - padded);
  return bytes;
}

struct Login {
  std::string user;
  std::string password;
  std::chrono::seconds time{0};
};

// Three lines: "user: NAME", "pwd:  PASSWORD", "ts:   SECONDS".
std::optional<Login> parse_login(const std::string& text) {
  constexpr std::size_t kLabel = 6;
  std::istringstream in(text);
  Login login;
  std::string time;
  if (!std::getline(in, login.user) || !std::getline(in, login.password) || !std::getline(in, time))
    return std::nullopt;
  if (!login.user.starts_with("user: ") || !login.password.starts_with("pwd:  ") ||
      !time.starts_with("ts:   "))
    return std::nullopt;
  login.user.erase(0, kLabel);
  login.password.erase(0, kLabel);
  login.time = std::chrono::seconds(std::strtoll(time.c_str() + kLabel, nullptr, 10));
  return login;
}

bool is_authorized(const Login& login, const std::string& authorized_users) {
  std::istringstream in(authorized_users);
  const std::string wanted = login.user + "," + password_hash(login.user, login.password);
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.starts_with('#') && line == wanted) return true;
  }
  return false;
}

}  // namespace

std::string password_hash(const std::string& user, const std::string& password) {
  const std::string text = "{" + user + "}" + password;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex.push_back(kDigits[digest[i] >> 4U]);
    hex.push_back(kDigits[digest[i] & 0xFU]);
  }
  return hex;
}

std::string make_auth_token(const Credentials& credentials, WallTime now) {
  const Key key = read_key(credentials.public_key_pem, &PEM_read_bio_PUBKEY);
  if (!key)
    throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                            "the public key is no PEM key");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const std::string text =
      "user: " + credentials.user + "\npwd:  " + credentials.password + "\nts:   " + std::to_string(seconds);
  const auto secret = encrypt(key.get(), credentials.padding, text);
  if (!secret) {
    throw std::system_error(
        std::make_error_code(std::errc::invalid_argument),
        "user and password can't be encrypted with the public key (is it an RSA key, long enough?)");
  }
  return to_base64(*secret);
}

bool token_is_valid(const std::string& token, const std::string& private_key_pem,
                    const std::string& authorized_users, WallTime now) {
  const Key key = read_key(private_key_pem, &PEM_read_bio_PrivateKey);
  const auto secret = from_base64(token);
  if (!key || !secret) return false;
  // Clients before 3.17 use the older padding.
  for (const Padding padding : {Padding::oaep, Padding::pkcs1}) {
    const auto text = decrypt(key.get(), padding, *secret);
    const auto login = text ? parse_login(*text) : std::nullopt;
    if (!login) continue;
    const auto difference = std::chrono::abs(now - WallTime(login->time));
    return difference <= kAllowedDifference && is_authorized(*login, authorized_users);
  }
  return false;
}

}  // namespace nasdiag::netbench
