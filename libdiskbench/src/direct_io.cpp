#include "direct_io.hpp"

#include "open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace nasdiag::diskbench {

namespace {
constexpr std::uint64_t kSafeAlignment = 4096;
}

std::optional<std::uint64_t> direct_alignment(const std::filesystem::path& file) {
  const OpenFile opened(::open(file.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (opened.get() < 0) return std::nullopt;
#ifdef STATX_DIOALIGN
  struct statx status {};
  if (::statx(AT_FDCWD, file.c_str(), 0, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    if (status.stx_dio_offset_align == 0) return std::nullopt;
    return std::max<std::uint64_t>(status.stx_dio_offset_align, status.stx_dio_mem_align);
  }
#endif
  return kSafeAlignment;
}

}  // namespace nasdiag::diskbench
