#include "content.hpp"
#include "hash.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace fb = nasdiag::filebench;
using fb::ByteCount;
using fb::HashKind;

namespace {

std::string digest_of(HashKind kind, std::string_view text) {
  fb::StreamingHash hash(kind);
  const auto bytes = std::as_bytes(std::span(text));
  hash.update(bytes.first(bytes.size() / 2));
  hash.update(bytes.subspan(bytes.size() / 2));
  return hash.digest();
}

}  // namespace

TEST_CASE("digests are those that the usual programs print") {
  CHECK(digest_of(HashKind::xxh3, "") == "99aa06d3014798d86001c324468d497f");
  CHECK(digest_of(HashKind::sha1, "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digest_of(HashKind::sha256, "abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("the digest of what will be written is known without writing it") {
  constexpr std::int64_t kLength = (std::int64_t{9} << 20) + 12345;  // more than the pool, and no whole block
  fb::Content content(42);
  fb::StreamingHash hash(HashKind::sha256);
  std::int64_t offset = 0;
  while (offset < kLength) {
    const auto piece =
        content.at(offset, static_cast<std::size_t>(std::min<std::int64_t>(100'000, kLength - offset)));
    hash.update(piece);
    offset += static_cast<std::int64_t>(piece.size());
  }
  CHECK(hash.digest() == fb::expected_digest(42, ByteCount::bytes(kLength), HashKind::sha256));
  CHECK(fb::expected_digest(43, ByteCount::bytes(kLength), HashKind::xxh3) !=
        fb::expected_digest(42, ByteCount::bytes(kLength), HashKind::xxh3));
}

TEST_CASE("no two blocks of a file are alike, and the same place always holds the same") {
  fb::Content content(7);
  std::set<std::string> blocks;
  constexpr std::int64_t kBlock = 4096;
  constexpr std::int64_t kBlocks = 4096;  // 16 MiB: the pool four times over
  for (std::int64_t i = 0; i < kBlocks; ++i) {
    const auto block = content.at(i * kBlock, kBlock);
    REQUIRE(block.size() == kBlock);
    blocks.emplace(reinterpret_cast<const char*>(block.data()), block.size());
  }
  CHECK(blocks.size() == kBlocks);
  const auto again = content.at(5 * kBlock, kBlock);
  CHECK(blocks.count({reinterpret_cast<const char*>(again.data()), again.size()}) == 1);
}

TEST_CASE("seeds are fresh") { CHECK(fb::fresh_seed() != fb::fresh_seed()); }
