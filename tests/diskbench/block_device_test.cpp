#include "mdstat.hpp"
#include "mount_table.hpp"

#include <diskbench/block_device.hpp>

#include <catch2/catch.hpp>

#include <support/temp_dir.hpp>

#include <fstream>
#include <string>

using namespace nasdiag::diskbench;
using namespace nasdiag;
using measure::ByteCount;
using measure::DataRate;

namespace {

namespace fs = std::filesystem;

// A little /proc and /sys.
class FakeRoot {
 public:
  void file(const std::string& path, const std::string& text) {
    fs::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }
  // A device folder, with the links the kernel makes to it.
  void device(const std::string& folder, const std::string& number) {
    fs::create_directories(folder_.path() / folder);
    link("sys/dev/block/" + number, folder);
    link("sys/class/block/" + fs::path(folder).filename().string(), folder);
  }
  void member(const std::string& folder, const std::string& name) {
    fs::create_directories(folder_.path() / folder / "slaves" / name);
  }
  void mount(const std::string& number, const std::string& point, const std::string& type,
             const std::string& source) {
    mounts_ += "30 1 " + number + " / " + point + " rw,relatime shared:1 - " + type + " " + source + " rw\n";
    file("proc/self/mountinfo", mounts_);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  void link(const std::string& from, const std::string& to) {
    fs::create_directories((folder_.path() / from).parent_path());
    fs::create_symlink(folder_.path() / to, folder_.path() / from);
  }
  test::TempDir folder_;
  std::string mounts_;
};

const std::string kSataDisk = "sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda";
const std::string kNvmeDisk = "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";

void add_sata_disk(FakeRoot& root) {
  root.device(kSataDisk, "8:0");
  root.file(kSataDisk + "/size", "7814037168\n");
  root.file(kSataDisk + "/queue/rotational", "1\n");
  root.file(kSataDisk + "/queue/scheduler", "none [mq-deadline] kyber bfq\n");
  root.file(kSataDisk + "/queue/write_cache", "write back\n");
  root.file(kSataDisk + "/queue/nr_requests", "64\n");
  root.file(kSataDisk + "/queue/max_sectors_kb", "1280\n");
  root.file(kSataDisk + "/queue/logical_block_size", "512\n");
  root.file(kSataDisk + "/queue/physical_block_size", "4096\n");
  root.file(kSataDisk + "/device/model", "WDC WD40EFRX-68N  \n");
  root.file(kSataDisk + "/device/hwmon/hwmon3/temp1_input", "71000\n");
  root.file("sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
  root.device(kSataDisk + "/sda1", "8:1");
  root.file(kSataDisk + "/sda1/partition", "1\n");
  root.file(kSataDisk + "/sda1/size", "2048\n");
}

void add_nvme_disk(FakeRoot& root) {
  root.device(kNvmeDisk, "259:0");
  root.file(kNvmeDisk + "/queue/rotational", "0\n");
  root.file("sys/devices/pci0000:00/0000:01:00.0/current_link_speed", "8.0 GT/s PCIe\n");
  root.file("sys/devices/pci0000:00/0000:01:00.0/current_link_width", "4\n");
  root.file(kNvmeDisk + "/device/hwmon1/temp1_input", "38850\n");
}

void add_mapper(FakeRoot& root, const std::string& name, const std::string& number, const std::string& uuid,
                const std::string& title, const std::string& below) {
  const std::string folder = "sys/devices/virtual/block/" + name;
  root.device(folder, number);
  root.file(folder + "/dm/uuid", uuid + "\n");
  root.file(folder + "/dm/name", title + "\n");
  root.member(folder, below);
}

}  // namespace

TEST_CASE("a partition of a disk is described down to the disk's link") {
  FakeRoot root;
  add_sata_disk(root);
  root.mount("8:1", "/", "ext4", "/dev/sda1");
  const Storage storage = storage_under("/home/dan", root.path());
  CHECK(storage.file_system == "ext4");
  CHECK(storage.mount_point == "/");
  REQUIRE(storage.devices.size() == 2);
  CHECK(storage.devices[0].kind == DeviceKind::partition);
  CHECK(storage.devices[0].size == ByteCount::mebibytes(1));
  CHECK(storage.devices[0].rotational == true);
  const BlockDevice& disk = storage.devices[1];
  CHECK(disk.name == "sda");
  CHECK(disk.level == 1);
  CHECK(disk.kind == DeviceKind::disk);
  CHECK(disk.model == "WDC WD40EFRX-68N");
  CHECK(disk.transport == "sata");
  CHECK(disk.link.value().megabits_per_second() == Approx(4800));
  CHECK(disk.scheduler == "mq-deadline");
  CHECK(disk.write_back_cache == true);
  CHECK(disk.queue_requests == 64U);
  CHECK(disk.largest_request == ByteCount::kibibytes(1280));
  CHECK(disk.physical_block == ByteCount::bytes(4096));
  CHECK(disk.temperature_celsius == 71.0);
  REQUIRE(notes_about(storage).size() == 1);
  CHECK(notes_about(storage).front().code == "disk-hot");
}

TEST_CASE("LVM on an encrypted NVMe disk is seen as that") {
  FakeRoot root;
  add_nvme_disk(root);
  add_mapper(root, "dm-0", "254:0", "CRYPT-LUKS2-abc-luks", "luks", "nvme0n1");
  add_mapper(root, "dm-1", "254:1", "LVM-xyz", "vg-home", "dm-0");
  root.mount("254:1", "/home", "xfs", "/dev/mapper/vg-home");
  const Storage storage = storage_under("/home/dan", root.path());
  REQUIRE(storage.devices.size() == 3);
  CHECK(storage.devices[0].kind == DeviceKind::lvm);
  CHECK(storage.devices[0].backing == "vg-home");
  CHECK(storage.devices[1].kind == DeviceKind::crypt);
  CHECK(storage.devices[2].transport == "nvme");
  CHECK(storage.devices[2].link.value().megabits_per_second() == Approx(8000.0 * 4 * 128 / 130));
  CHECK(storage.devices[2].temperature_celsius == Approx(38.85));
  CHECK(storage.devices[2].rotational == false);
}

TEST_CASE("an array lists its members, and says when it is at work on itself") {
  FakeRoot root;
  add_sata_disk(root);
  root.device("sys/devices/virtual/block/md0", "9:0");
  root.file("sys/devices/virtual/block/md0/md/level", "raid5\n");
  root.member("sys/devices/virtual/block/md0", "sda1");
  root.file(
      "proc/mdstat",
      "Personalities : [raid6] [raid5] [raid4]\n"
      "md0 : active raid5 sda1[0] sdb1[1] sdc1[3]\n"
      "      7813772288 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]\n"
      "      [==>..................]  recovery = 12.6% (492345/3906886144) finish=127.5min speed=33440K/sec\n"
      "md9 : active raid1 sdx1[0]\n      100 blocks [2/1] [U_]\n"
      "unused devices: <none>\n");
  root.mount("9:0", "/mnt/array", "ext4", "/dev/md0");
  const Storage storage = storage_under("/mnt/array", root.path());
  REQUIRE(storage.devices.size() == 3);
  CHECK(storage.devices[0].kind == DeviceKind::raid);
  CHECK(storage.devices[2].level == 2);
  REQUIRE(storage.raids.size() == 1);
  CHECK(storage.raids[0] == RaidState{.name = "md0",
                                      .level = "raid5",
                                      .activity = "recovery",
                                      .activity_percent = 12.6,
                                      .degraded = true});
  const auto notes = notes_about(storage);
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].code == "raid-busy");
  CHECK(notes[1].code == "raid-degraded");
}

TEST_CASE("a btrfs of two devices lists both") {
  FakeRoot root;
  add_sata_disk(root);
  add_nvme_disk(root);
  root.file("sys/fs/btrfs/1234/devices/sda1/x", "");
  root.file("sys/fs/btrfs/1234/devices/nvme0n1/x", "");
  root.mount("0:45", "/pool", "btrfs", "/dev/sda1");
  const Storage storage = storage_under("/pool/photos", root.path());
  REQUIRE(storage.devices.size() == 3);
  CHECK(storage.devices[0].name == "nvme0n1");
  CHECK(storage.devices[1].name == "sda1");
}

TEST_CASE("a loop device leads to the disk its file lies on") {
  FakeRoot root;
  add_sata_disk(root);
  root.device("sys/devices/virtual/block/loop0", "7:0");
  root.file("sys/devices/virtual/block/loop0/loop/backing_file", "/srv/image.raw\n");
  root.mount("8:1", "/", "ext4", "/dev/sda1");
  root.mount("7:0", "/mnt/image", "ext4", "/dev/loop0");
  const Storage storage = storage_under("/mnt/image", root.path());
  REQUIRE(storage.devices.size() == 3);
  CHECK(storage.devices[0].kind == DeviceKind::loop);
  CHECK(storage.devices[0].backing == "/srv/image.raw");
  CHECK(storage.devices[2].name == "sda");
}

TEST_CASE("a USB disk tells what its port carries") {
  FakeRoot root;
  const std::string port = "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1";
  root.device(port + "/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdc", "8:32");
  root.file(port + "/speed", "480\n");
  root.mount("8:32", "/media/stick", "exfat", "/dev/sdc");
  const Storage storage = storage_under("/media/stick", root.path());
  REQUIRE(storage.devices.size() == 1);
  CHECK(storage.devices[0].transport == "usb");
  CHECK(storage.devices[0].link == DataRate::megabits_per_second(480));
}

TEST_CASE("file systems without a block device, and roots without anything, give what there is") {
  FakeRoot root;
  root.mount("0:30", "/", "zfs", "tank/root");
  root.mount("0:31", "/mnt/nas\\040share", "cifs", "//nas/share");
  const Storage zfs = storage_under("/somewhere", root.path());
  CHECK(zfs.file_system == "zfs");
  CHECK(zfs.devices.empty());
  CHECK(storage_under("/mnt/nas share/x", root.path()).file_system == "cifs");
  CHECK(storage_under("/x", root.path() / "nothing").file_system.empty());
}

TEST_CASE("a mount point is whole path components, and the latest mount covers the earlier ones") {
  const auto mounts = parse_mount_table(
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /home rw - ext4 /dev/sda2 rw\n"
      "3 1 8:3 / /home rw - xfs /dev/sda3 rw\ngarbage\n4 1 8:4 / /x rw opt:1 opt:2 - ext4\n");
  REQUIRE(mounts.size() == 3);
  CHECK(mount_of(mounts, "/home/dan").value().device_number == "8:3");
  CHECK(mount_of(mounts, "/homework").value().device_number == "8:1");
  CHECK_FALSE(mount_of(mounts, "relative").has_value());
}

TEST_CASE("arrays that wait, check and idle are told apart") {
  const auto raids = parse_mdstat(
      "md1 : active (auto-read-only) raid1 sdb2[1] sda2[0]\n      100 blocks [2/2] [UU]\n      "
      "\tresync=PENDING\n"
      "md2 : active raid6 sda3[0]\n      100 blocks [4/4] [UUUU]\n      [=>...]  check =  5.0% (1/2) "
      "finish=1min\n"
      "md3 : inactive sdd1[0](S)\n      100 blocks\n\n");
  REQUIRE(raids.size() == 3);
  CHECK(raids[0].level == "raid1");
  CHECK(raids[0].activity == "resync");
  CHECK_FALSE(raids[0].activity_percent.has_value());
  CHECK(raids[1].activity == "check");
  CHECK(raids[1].activity_percent == 5.0);
  CHECK_FALSE(raids[1].degraded);
  CHECK(raids[2].activity.empty());
  CHECK(raids[2].level.empty());
}

TEST_CASE("a device's activity is read from diskstats") {
  FakeRoot root;
  root.file("proc/diskstats",
            "   8       0 sda 10 2 100 7 20 3 200 9 0 1500 16 0 0 0 0 0 0\n   8 1 sda1 1 1\n");
  const auto activity = activity_of("sda", root.path());
  REQUIRE(activity.has_value());
  CHECK(activity->read == ByteCount::bytes(51200));
  CHECK(activity->written == ByteCount::bytes(102400));
  CHECK(activity->busy.count() == Approx(1.5));
  CHECK_FALSE(activity_of("sda1", root.path()).has_value());
  CHECK_FALSE(activity_of("sdz", root.path()).has_value());
}
