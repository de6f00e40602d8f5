#include "page_cache.hpp"

#include "descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace nasdiag::filebench {

namespace {

constexpr long kCachestatCall = 451;  // on every architecture; not in the headers of glibc 2.36

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

double share_of(std::uint64_t pages, off_t size) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t all = (static_cast<std::uint64_t>(size) + page - 1) / page;
  return std::min(1.0, static_cast<double>(pages) / static_cast<double>(all));
}

// Linux 6.5 and newer, for those who own the file or may write it.
std::optional<double> by_cachestat(int fd, off_t size) {
  CachestatRange range{.offset = 0, .length = static_cast<std::uint64_t>(size)};
  Cachestat result{};
  if (::syscall(kCachestatCall, fd, &range, &result, 0U) != 0) return std::nullopt;
  return share_of(result.cached, size);
}

bool may_ask_mincore(int fd, const struct stat& status) {
  if (status.st_uid == ::geteuid() || ::geteuid() == 0) return true;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::optional<double> by_mincore(int fd, const struct stat& status) {
  if (!may_ask_mincore(fd, status)) return std::nullopt;
  constexpr off_t kSpan = off_t{256} << 20U;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t resident = 0;
  for (off_t offset = 0; offset < status.st_size; offset += kSpan) {
    const auto length = static_cast<std::size_t>(std::min(kSpan, status.st_size - offset));
    void* memory = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, offset);
    if (memory == MAP_FAILED) return std::nullopt;
    std::vector<unsigned char> pages((length + page - 1) / page);
    const int failed = ::mincore(memory, length, pages.data());
    ::munmap(memory, length);
    if (failed != 0) return std::nullopt;
    resident += static_cast<std::uint64_t>(
        std::count_if(pages.begin(), pages.end(), [](unsigned char entry) { return (entry & 1U) != 0; }));
  }
  return share_of(resident, status.st_size);
}

}  // namespace

std::optional<double> resident_share(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return std::nullopt;
  if (status.st_size == 0) return 0.0;
  if (const auto share = by_cachestat(fd, status.st_size)) return share;
  return by_mincore(fd, status);
}

void drop_pages(int fd) {
  constexpr int kTries = 4;
  constexpr double kGone = 0.001;
  for (int i = 0; i < kTries; ++i) {
    ::fsync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    const auto share = resident_share(fd);
    if (!share || *share < kGone) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool drop_all_caches() {
  ::sync();
  Descriptor fd(::open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), "1", 1) == 1;
}

}  // namespace nasdiag::filebench
