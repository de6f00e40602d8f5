// On an ext4 of its own: how little space, no space and a read-only file system are taken. Needs root and
// loop devices.

#include <diskbench/disk_benchmark.hpp>

#include <catch2/catch.hpp>

#include <support/temp_dir.hpp>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

using namespace nasdiag;
using namespace nasdiag::diskbench;
using measure::ByteCount;

namespace {

// A fresh ext4 of 400 MB, mounted; gone with this object.
class SmallFileSystem {
 public:
  SmallFileSystem() {
    const std::string image = (folder_.path() / "image").string();
    std::filesystem::create_directory(path());
    std::ofstream(image).close();
    std::filesystem::resize_file(image, std::uintmax_t{400} << 20U);
    mounted_ = ::geteuid() == 0 && shell("mkfs.ext4 -q -F " + image) &&
               shell("mount -o loop " + image + " " + path().string());
  }
  ~SmallFileSystem() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  bool mounted() const { return mounted_; }
  std::filesystem::path path() const { return folder_.path() / "mount"; }
  bool make_read_only() const { return shell("mount -o remount,ro " + path().string()); }
  void fill(std::size_t mebibytes) const {
    std::ofstream out(path() / "filler");
    const std::string piece(1 << 20, 'x');
    for (std::size_t i = 0; i < mebibytes; ++i) out << piece;
  }

 private:
  static bool shell(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }

  test::TempDir folder_;
  bool mounted_ = false;
};

DiskResult measured(const std::filesystem::path& folder) {
  DiskOptions options{
      .pattern = Pattern::write, .size = ByteCount::gibibytes(1), .runtime = std::chrono::milliseconds(300)};
  options.precision.reset();
  measure::NoProgress progress;
  return measure_disk(folder, options, progress, {});
}

std::error_code failure_in(const std::filesystem::path& folder) {
  try {
    measured(folder);
    return {};
  } catch (const std::system_error& error) {
    CHECK_THAT(error.what(), Catch::Contains(folder.string()));
    return error.code();
  }
}

}  // namespace

TEST_CASE("a small file system is measured within its reserve, a full one and a read-only one refused") {
  const SmallFileSystem disk;
  if (!disk.mounted()) {
    WARN("SKIPPED: needs root, mkfs.ext4 and loop devices");
    return;
  }
  const DiskResult result = measured(disk.path());
  CHECK(result.region < ByteCount::mebibytes(150));  // 256 MiB stay free
  CHECK(result.write->operations > 0);
  CHECK(result.storage.file_system == "ext4");
  CHECK(result.storage.devices.front().kind == DeviceKind::loop);

  disk.fill(600);  // as far as it goes
  CHECK(failure_in(disk.path()) == std::errc::no_space_on_device);

  REQUIRE(disk.make_read_only());
  CHECK(failure_in(disk.path()) == std::errc::read_only_file_system);
}
