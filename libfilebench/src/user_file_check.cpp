#include "user_file_check.hpp"

#include "descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace nasdiag::filebench {

namespace {

// Of films, photos and archives the frequencies are near 8 bits; what lies below compresses by a fifth or
// more.
constexpr double kIncompressible = 7.2;

// Blocks from all over the file, put together.
std::vector<std::byte> sample_of(int fd, off_t size) {
  constexpr off_t kBlock = 4096;
  constexpr off_t kBlocks = 64;
  std::vector<std::byte> sample;
  for (off_t i = 0; i < kBlocks; ++i) {
    std::array<std::byte, kBlock> block{};
    const ssize_t count = ::pread(fd, block.data(), block.size(), size / kBlocks * i / kBlock * kBlock);
    if (count > 0) sample.insert(sample.end(), block.begin(), block.begin() + count);
  }
  return sample;
}

}  // namespace

double entropy_of(std::span<const std::byte> data) {
  std::array<double, 256> counts{};
  for (const std::byte byte : data) ++counts[static_cast<std::size_t>(byte)];
  double bits = 0;
  for (const double count : counts) {
    if (count <= 0) continue;
    const double share = count / static_cast<double>(data.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

measure::Notes judge_user_file(const std::filesystem::path& file) {
  measure::Notes notes;
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || status.st_size == 0) return notes;
  constexpr off_t kSector = 512;
  const double allocated =
      static_cast<double>(status.st_blocks * kSector) / static_cast<double>(status.st_size);
  if (allocated < 0.9)
    notes.push_back(
        {.code = "sparse-file",
         .severity = measure::Severity::void_,
         .text = "Only " + std::to_string(static_cast<int>(allocated * 100)) +
                 " % of the file takes space on the server (holes, or the server compresses it): reading "
                 "it tells nothing about disks. Choose a film or an archive."});
  const auto sample = sample_of(fd.get(), status.st_size);
  if (!sample.empty() && entropy_of(sample) < kIncompressible)
    notes.push_back(
        {.code = "compressible-file",
         .severity = measure::Severity::warning,
         .text = "The file can be compressed, so a server or a protocol that does so is faster with it than "
                 "with films, photos or archives."});
  return notes;
}

}  // namespace nasdiag::filebench
