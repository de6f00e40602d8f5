#include "file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace nasdiag::filebench {

namespace {

constexpr std::int64_t kPushOutEvery = std::int64_t{8} << 20U;

}  // namespace

void FileWriter::fail(Activity activity, int error) {
  if (!failure_) failure_ = Failure{.activity = activity, .error = error, .side = side_};
}

void FileWriter::open(const std::filesystem::path& path) {
  progress_.enter(Activity::open);
  fd_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd_.valid()) fail(Activity::open, errno);
  progress_.enter(Activity::write);
}

void FileWriter::write(std::span<const std::byte> data) {
  while (!data.empty() && !failure_) {
    const ssize_t written = ::write(fd_.get(), data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(Activity::write, written < 0 ? errno : EIO);
    accepted_ += written;
    progress_.moved(written);
    data = data.subspan(static_cast<std::size_t>(written));
  }
  if (writeback_ == Writeback::early && accepted_ - pushed_ >= kPushOutEvery) push_out();
}

void FileWriter::push_out() {
  // Starts writing and doesn't wait; an error shows at fsync().
  ::sync_file_range(fd_.get(), pushed_, accepted_ - pushed_, SYNC_FILE_RANGE_WRITE);
  pushed_ = accepted_;
}

void FileWriter::finish() {
  accepted_at_ = now_ns();
  if (fd_.valid()) {
    if (progress_.stop) {
      [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), 0);
    }
    progress_.enter(Activity::flush);
    if (!progress_.stop && ::fsync(fd_.get()) != 0 && errno != EINVAL) fail(Activity::flush, errno);
    progress_.enter(Activity::close);
    if (::close(fd_.release()) != 0) fail(Activity::close, errno);
  }
  finished_at_ = now_ns();
  progress_.enter(Activity::idle);
}

}  // namespace nasdiag::filebench
