#include "file_reader.hpp"

#include "content.hpp"
#include "piece_ring.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace nasdiag::filebench {

void FileReader::open(const std::filesystem::path& path, ReadPath how, std::int64_t start) {
  progress_.enter(Activity::open);
  path_ = how;
  const int flags = O_RDONLY | O_CLOEXEC | (how == ReadPath::direct ? O_DIRECT : 0);
  fd_ = Descriptor(::open(path.c_str(), flags));
  if (!fd_.valid() && how == ReadPath::direct && errno == EINVAL)
    return open(path, ReadPath::buffered, start);
  if (!fd_.valid() || (start > 0 && ::lseek(fd_.get(), start, SEEK_SET) < 0))
    failure_ = Failure{.activity = Activity::open, .error = errno, .side = side_};
  else if (how == ReadPath::buffered)
    ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);  // as cp, cat and rsync do
  progress_.enter(Activity::read);
}

std::size_t FileReader::read(std::span<std::byte> into) {
  while (!failure_) {
    const ssize_t count = ::read(fd_.get(), into.data(), into.size());
    if (count < 0 && errno == EINTR) continue;
    if (count >= 0) {
      progress_.moved(count);
      return static_cast<std::size_t>(count);
    }
    failure_ = Failure{.activity = Activity::read, .error = errno, .side = side_};
  }
  return 0;
}

namespace {

// Calls take(piece length) after each read into what `buffer` gives, until an end is reached.
template <class Buffer, class Take>
void read_pieces(FileReader& reader, const ReadPlan& plan, ReadFigures& figures, Buffer buffer, Take take) {
  while (figures.amount < plan.size && !plan.should_end()) {
    const std::span<std::byte> space = buffer();
    // O_DIRECT wants whole blocks; the end of the file may cut the last one short.
    const auto wanted = plan.path == ReadPath::direct
                            ? plan.piece_size
                            : std::min(plan.piece_size, static_cast<std::size_t>(plan.size - figures.amount));
    const std::size_t count = reader.read(space.first(wanted));
    if (count == 0) break;
    figures.amount += static_cast<std::int64_t>(count);
    figures.finished_at = now_ns();
    take(count);
  }
  figures.failure = reader.failure();
}

void read_and_hash_apart(FileReader& reader, const ReadPlan& plan, ReadFigures& figures) {
  PieceRing ring(plan.piece_size);
  StreamingHash hash(*plan.hash);
  {
    std::jthread hasher([&] {
      for (auto piece = ring.next(); !piece.empty(); piece = ring.next()) {
        hash.update(piece);
        ring.release();
      }
    });
    read_pieces(
        reader, plan, figures, [&] { return ring.free_slot(); }, [&](std::size_t n) { ring.publish(n); });
    ring.free_slot();
    ring.publish(0);
  }
  figures.finished_at = now_ns();
  figures.waited_for_hash = ring.waited_for_slot();
  figures.digest = hash.digest();
}

void read_and_hash(FileReader& reader, const ReadPlan& plan, ReadFigures& figures) {
  AlignedBuffer buffer(plan.piece_size);
  StreamingHash hash(*plan.hash);
  read_pieces(
      reader, plan, figures, [&] { return buffer.span(); },
      [&](std::size_t n) { hash.update(buffer.span().first(n)); });
  figures.finished_at = now_ns();
  figures.digest = hash.digest();
}

}  // namespace

ReadFigures read_file(const std::filesystem::path& file, const ReadPlan& plan, SharedProgress& progress) {
  ReadFigures figures;
  FileReader reader(progress, Side::mount);
  reader.open(file, plan.path, plan.start);
  figures.path = reader.path();
  if (reader.failure()) {
    figures.failure = reader.failure();
  } else if (plan.hash && plan.hash_apart) {
    read_and_hash_apart(reader, plan, figures);
  } else if (plan.hash) {
    read_and_hash(reader, plan, figures);
  } else {
    AlignedBuffer buffer(plan.piece_size);
    read_pieces(
        reader, plan, figures, [&] { return buffer.span(); }, [](std::size_t) {});
  }
  if (figures.finished_at == 0) figures.finished_at = now_ns();
  progress.enter(Activity::idle);
  return figures;
}

}  // namespace nasdiag::filebench
