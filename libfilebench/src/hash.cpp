#include "hash.hpp"

#include "content.hpp"

#include <filebench/transfer_benchmark.hpp>

#include <openssl/evp.h>
#ifdef NASDIAG_XXHASH_DISPATCHES
#include <xxh_x86dispatch.h>  // the update that takes the widest instructions of this CPU
#endif
#include <xxhash.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace nasdiag::filebench {

namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace

class StreamingHash::Algorithm {
 public:
  Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;
  virtual ~Algorithm() = default;
  virtual void update(std::span<const std::byte> data) = 0;
  virtual std::string digest() = 0;
};

class StreamingHash::Xxh3 final : public Algorithm {
 public:
  Xxh3() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void update(std::span<const std::byte> data) override {
    XXH3_128bits_update(state_.get(), data.data(), data.size());
  }
  std::string digest() override {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    return hexadecimal(canonical.digest);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

class StreamingHash::Sha final : public Algorithm {
 public:
  explicit Sha(const EVP_MD* kind) : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1)
      throw std::runtime_error("this OpenSSL does not offer the hash asked for");
  }
  void update(std::span<const std::byte> data) override {
    EVP_DigestUpdate(context_.get(), data.data(), data.size());
  }
  std::string digest() override {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &length);
    return hexadecimal({bytes.data(), length});
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

StreamingHash::StreamingHash(HashKind kind) {
  if (kind == HashKind::xxh3)
    algorithm_ = std::make_unique<Xxh3>();
  else
    algorithm_ = std::make_unique<Sha>(kind == HashKind::sha1 ? EVP_sha1() : EVP_sha256());
}

StreamingHash::~StreamingHash() = default;
StreamingHash::StreamingHash(StreamingHash&&) noexcept = default;
StreamingHash& StreamingHash::operator=(StreamingHash&&) noexcept = default;

void StreamingHash::update(std::span<const std::byte> data) { algorithm_->update(data); }

std::string StreamingHash::digest() { return algorithm_->digest(); }

DataRate hash_ceiling(HashKind kind) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLongest = std::chrono::milliseconds(100);
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  Content content(1);
  const auto data = content.at(0, kPiece);
  StreamingHash hash(kind);
  hash.update(data);  // warms up caches and the CPU's clock
  std::int64_t hashed = 0;
  const auto start = Clock::now();
  auto now = start;
  while (now - start < kLongest) {
    hash.update(data);
    hashed += static_cast<std::int64_t>(kPiece);
    now = Clock::now();
  }
  return ByteCount::bytes(hashed) / (now - start);
}

}  // namespace nasdiag::filebench
