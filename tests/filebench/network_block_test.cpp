#include "mount_system.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

namespace fb = nasdiag::filebench;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

void link(const fs::path& from, const fs::path& to) {
  fs::create_directories(from.parent_path());
  fs::create_symlink(to, from);
}

}  // namespace

TEST_CASE("a partition on a logical volume on iSCSI is found to be on the network") {
  const nasdiag::test::TempDir root;
  const fs::path sys = root.path() / "sys";
  const fs::path disk = sys / "devices/platform/host3/session1/target3:0:0/3:0:0:1/block/sdb";
  put(disk / "sdb1/partition", "1");
  link(disk / "device", sys / "devices/platform/host3/session1/target3:0:0/3:0:0:1");
  put(sys / "devices/virtual/block/dm-0/dm/name", "vg-lv");
  link(sys / "devices/virtual/block/dm-0/slaves/sdb1", disk / "sdb1");
  link(sys / "dev/block/253:0", sys / "devices/virtual/block/dm-0");
  put(sys / "class/iscsi_connection/connection1:0/address", "192.0.2.5");
  put(sys / "class/iscsi_connection/connection1:0/port", "3260");
  put(sys / "class/iscsi_session/session1/targetname", "iqn.2026-01.example:tank");

  const auto block = fb::network_block_behind(root.path(), "253:0");
  REQUIRE(block);
  CHECK(block->transport == "iscsi");
  CHECK(block->address == "192.0.2.5");
  CHECK(block->port == 3260);
  CHECK(block->target == "iqn.2026-01.example:tank");
}

TEST_CASE("NVMe over TCP, NBD and plain disks are told apart") {
  const nasdiag::test::TempDir root;
  const fs::path sys = root.path() / "sys";
  put(sys / "devices/virtual/nvme/nvme1n1/size", "1");
  link(sys / "dev/block/259:0", sys / "devices/virtual/nvme/nvme1n1");
  put(sys / "class/nvme/nvme1/transport", "tcp");
  put(sys / "class/nvme/nvme1/address", "traddr=192.0.2.5,trsvcid=4420,src_addr=192.0.2.20");
  const auto nvme = fb::network_block_behind(root.path(), "259:0");
  REQUIRE(nvme);
  CHECK(nvme->transport == "nvme-tcp");
  CHECK(nvme->address == "192.0.2.5");
  CHECK(nvme->port == 4420);

  put(sys / "devices/virtual/block/nbd0/pid", "77");
  link(sys / "dev/block/43:0", sys / "devices/virtual/block/nbd0");
  CHECK(fb::network_block_behind(root.path(), "43:0")->transport == "nbd");

  put(sys / "devices/pci/ata1/block/sda/size", "1");
  link(sys / "dev/block/8:0", sys / "devices/pci/ata1/block/sda");
  CHECK_FALSE(fb::network_block_behind(root.path(), "8:0"));
  CHECK_FALSE(fb::network_block_behind(root.path(), "0:99"));
}
