#include "file_access.hpp"

#include "direct_io.hpp"

#include <diskbench/error.hpp>
#include <measure/quantity_text.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;

std::string why_not_direct(const std::filesystem::path& file, const DiskOptions& options) {
  const auto alignment = direct_alignment(file);
  if (!alignment) return "this file system has no direct I/O";
  if (static_cast<std::uint64_t>(options.block_size.bytes()) % *alignment != 0)
    return "direct I/O here takes multiples of " + std::to_string(*alignment) + " bytes only";
  return {};
}

}  // namespace

Access choose_access(const std::filesystem::path& file, const DiskOptions& options) {
  if (options.direct == Direct::off) return {.cache_path = CachePath::buffered, .notes = {}};
  const std::string obstacle = why_not_direct(file, options);
  if (obstacle.empty()) return {};
  if (options.direct == Direct::on)
    throw std::system_error(
        Errc::direct_unsupported,
        obstacle + " (" + file.parent_path().parent_path().string() + "); use --direct=auto");
  return {.cache_path = CachePath::buffered,
          .notes = {{.code = "buffered-fallback",
                     .severity = measure::Severity::info,
                     .text = "Measured through the page cache, which was emptied of the file first: " +
                             obstacle + "."}}};
}

OpenFile open_test_file(const std::filesystem::path& file, CachePath cache_path, Sync sync) {
  int flags = O_RDWR | O_CLOEXEC;
  if (cache_path == CachePath::direct) flags |= O_DIRECT;
  if (sync == Sync::dsync) flags |= O_DSYNC;
  if (sync == Sync::sync) flags |= O_SYNC;
  OpenFile opened(::open(file.c_str(), flags));
  if (opened.get() < 0) throw std::system_error(errno, std::generic_category(), "opening " + file.string());
  return opened;
}

void reserve_space(int file, ByteCount size, const std::filesystem::path& directory) {
  if (::fallocate(file, 0, 0, static_cast<off_t>(size.bytes())) == 0) return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
    throw std::system_error(errno, std::generic_category(),
                            "taking " + to_text(size) + " for a test file in " + directory.string());
}

ByteCount allocated_size(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return {};
  constexpr std::int64_t kStatBlock = 512;
  return ByteCount::bytes(static_cast<std::int64_t>(status.st_blocks) * kStatBlock);
}

ByteCount apparent_size(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 ? ByteCount::bytes(static_cast<std::int64_t>(status.st_size))
                                     : ByteCount();
}

}  // namespace nasdiag::diskbench
