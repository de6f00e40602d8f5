#include "page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace nasdiag::diskbench {

namespace {

constexpr long kCachestatCall = 451;  // Linux 6.5, the same number on every architecture
constexpr std::uint64_t kMappedPiece = std::uint64_t{1} << 30;

struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t length;
};
struct Cachestat {
  std::uint64_t cached;
  std::uint64_t dirty;
  std::uint64_t writeback;
  std::uint64_t evicted;
  std::uint64_t recently_evicted;
};

std::uint64_t page_size() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::optional<std::uint64_t> cached_pages_by_cachestat(int file, std::uint64_t length) {
  CachestatRange range{0, length};
  Cachestat state{};
  if (::syscall(kCachestatCall, file, &range, &state, 0) != 0) return std::nullopt;
  return state.cached;
}

std::optional<std::uint64_t> cached_pages_by_mincore(int file, std::uint64_t length) {
  std::uint64_t pages = 0;
  for (std::uint64_t at = 0; at < length; at += kMappedPiece) {
    const std::uint64_t piece = std::min(kMappedPiece, length - at);
    void* mapping = ::mmap(nullptr, piece, PROT_READ, MAP_SHARED, file, static_cast<off_t>(at));
    if (mapping == MAP_FAILED) return std::nullopt;
    std::vector<unsigned char> resident((piece + page_size() - 1) / page_size());
    const int result = ::mincore(mapping, piece, resident.data());
    ::munmap(mapping, piece);
    if (result != 0) return std::nullopt;
    pages += static_cast<std::uint64_t>(
        std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1U) != 0; }));
  }
  return pages;
}

}  // namespace

void evict(int file, std::uint64_t length) {
  ::fdatasync(file);
  ::posix_fadvise(file, 0, static_cast<off_t>(length), POSIX_FADV_DONTNEED);
}

std::optional<double> resident_share(int file, std::uint64_t length) {
  if (length == 0) return std::nullopt;
  auto pages = cached_pages_by_cachestat(file, length);
  if (!pages) pages = cached_pages_by_mincore(file, length);
  if (!pages) return std::nullopt;
  return std::min(1.0, static_cast<double>(*pages * page_size()) / static_cast<double>(length));
}

}  // namespace nasdiag::diskbench
