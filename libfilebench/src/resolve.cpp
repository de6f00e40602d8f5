#include "resolve.hpp"

#include "descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace nasdiag::filebench {

namespace {

// From /proc/self/fdinfo: works on every kernel and file system, CIFS too.
int mount_id_of(int fd) {
  std::ifstream in("/proc/self/fdinfo/" + std::to_string(fd));
  std::string key;
  while (in >> key) {
    int id = 0;
    if (key == "mnt_id:" && in >> id) return id;
  }
  return 0;
}

}  // namespace

Resolved resolve(const std::filesystem::path& path) {
  Resolved result;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {  // not O_PATH: this triggers an automount
    result.error = errno;
    return result;
  }
  std::error_code error;
  result.canonical = std::filesystem::canonical(path, error);
  if (error) {
    result.error = error.value();
    return result;
  }
  const Descriptor fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.valid()) {
    result.error = errno;
    return result;
  }
  result.mount_id = mount_id_of(fd.get());
  result.device_major = ::gnu_dev_major(status.st_dev);
  result.device_minor = ::gnu_dev_minor(status.st_dev);
  result.directory = S_ISDIR(status.st_mode);
  return result;
}

}  // namespace nasdiag::filebench
