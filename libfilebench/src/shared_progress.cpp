#include "shared_progress.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace nasdiag::filebench {

std::string_view to_string(Activity activity) {
  switch (activity) {
    case Activity::idle:
      return "waiting";
    case Activity::open:
      return "open";
    case Activity::write:
      return "write";
    case Activity::read:
      return "read";
    case Activity::flush:
      return "fsync";
    case Activity::close:
      return "close";
    case Activity::remove:
      return "unlink";
    case Activity::make_folder:
      return "mkdir";
    case Activity::stat:
      return "stat";
    case Activity::list:
      return "readdir";
    case Activity::drop_pages:
      return "fadvise";
  }
  return "waiting";
}

void SharedProgress::reset() {
  moved_bytes = 0;
  done_items = 0;
  window_start = 0;
  window_end = 0;
  activity = Activity::idle;
  enough = false;
}

SharedMapping SharedMapping::create() {
  Descriptor fd(::memfd_create("nasdiag-progress", MFD_CLOEXEC));
  if (!fd.valid() || ::ftruncate(fd.get(), sizeof(SharedProgress)) != 0)
    throw std::system_error(errno, std::generic_category(), "making shared memory for the file worker");
  SharedMapping mapping(std::move(fd));
  new (mapping.progress_) SharedProgress;
  return mapping;
}

SharedMapping::SharedMapping(Descriptor fd) : fd_(std::move(fd)) {
  void* memory = ::mmap(nullptr, sizeof(SharedProgress), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "mapping shared memory of the file worker");
  progress_ = static_cast<SharedProgress*>(memory);
}

SharedMapping::~SharedMapping() {
  if (progress_ != nullptr) ::munmap(progress_, sizeof(SharedProgress));
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : fd_(std::move(other.fd_)), progress_(std::exchange(other.progress_, nullptr)) {}

}  // namespace nasdiag::filebench
