#include "mount_description.hpp"

#include "mount_system.hpp"
#include "text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

namespace fb = nasdiag::filebench;
namespace fs = std::filesystem;
using fb::ByteCount;
using fb::MountKind;

namespace {

const fs::path kSamples = fs::path(NASDIAG_TEST_DATA) / "filebench";

std::vector<fb::MountEntry> table_of(const std::string& sample) {
  return fb::parse_mount_table(fb::read_text(kSamples / sample));
}

fb::Mount describe(const std::string& line, const fs::path& path) {
  const auto table = fb::parse_mount_table(line);
  REQUIRE(table.size() == 1);
  return fb::describe_entry(table.front(), path);
}

bool noted(const fb::Mount& mount, const std::string& code) {
  const auto notes = fb::judge_options(mount);
  return std::any_of(notes.begin(), notes.end(), [&](const auto& note) { return note.code == code; });
}

}  // namespace

TEST_CASE("every captured mount table is understood line by line") {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    const std::string name = entry.path().filename().string();
    if (name.find("mountinfo") == std::string::npos) continue;
    CAPTURE(name);
    const std::string text = fb::read_text(entry.path());
    CHECK(fb::parse_mount_table(text).size() == fb::lines_of(text).size());
    ++files;
  }
  CHECK(files == 9);
}

TEST_CASE("the mount on top of another is the one that covers a path") {
  const auto table = table_of("linux6.12-mountinfo-nfs-cifs.txt");
  const auto* seen = fb::entry_covering(table, "/mnt/v3/films/a.mkv");
  REQUIRE(seen != nullptr);
  CHECK(seen->type == "cifs");
  CHECK(seen->id == 33);
  CHECK(fb::entry_covering(table, "/mnt/v33")->mount_point == "/mnt");
  CHECK(fb::entry_covering(table, "/home")->mount_point == "/");
  CHECK(fb::entry_with_id(table, 30)->type == "nfs");
  CHECK(fb::entry_with_id(table, 99) == nullptr);

  // The lower one may come later in the file.
  const auto reversed = fb::parse_mount_table(
      "57 41 0:52 / /srv/pool rw - cifs //nas/new rw\n41 27 0:51 / /srv/pool rw - nfs nas:/old rw\n");
  CHECK(fb::entry_covering(reversed, "/srv/pool")->id == 57);
}

TEST_CASE("escapes, empty sources, optional fields and deleted mounts are read") {
  const auto table = fb::parse_mount_table(
      "88 27 0:61 / /media/film\\040archive rw shared:44 master:2 - nfs4 tank:/vol/a\\011b rw,vers=4.2\n"
      "89 27 0:62 / /m rw - tmpfs  rw\n"
      "90 27 0:63 / /gone//deleted rw - nfs4 tank:/x rw\n"
      "too short\n");
  REQUIRE(table.size() == 2);
  CHECK(table[0].mount_point == "/media/film archive");
  CHECK(table[0].source == "tank:/vol/a\tb");
  CHECK(table[1].source.empty());
  CHECK(table[1].super_options == "rw");
}

TEST_CASE("kind, protocol, server and share of each kind of mount") {
  struct Row {
    std::string line;
    fs::path path;
    MountKind kind;
    std::string protocol;
    std::string server;
    std::string share;
  };
  const auto row = GENERATE(values<Row>({
      {"1 0 0:1 / /m rw - nfs tank:/vol rw,vers=3,addr=192.0.2.5", "/m", MountKind::nfs, "nfs3", "tank",
       "/vol"},
      {"1 0 0:1 / /m rw - nfs4 [2001:db8::5]:/vol rw,vers=4.2", "/m", MountKind::nfs, "nfs4.2", "2001:db8::5",
       "/vol"},
      {"1 0 0:1 / /m rw - cifs //tank/my\\040media/sub rw,vers=3.1.1", "/m", MountKind::cifs, "smb3.1.1",
       "tank", "my media/sub"},
      {"1 0 0:1 / /run/user/7/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw",
       "/run/user/7/gvfs/smb-share:domain=LAB,server=tank,share=my%20media,user=anna/films", MountKind::gvfs,
       "gvfs-smb", "tank", "my media"},
      {"1 0 0:1 / /run/user/7/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw",
       "/run/user/7/gvfs/nfs:host=tank,prefix=%2Fvol%2Fa", MountKind::gvfs, "gvfs-nfs", "tank", "/vol/a"},
      {"1 0 0:1 / /run/user/7/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw", "/run/user/7/gvfs", MountKind::gvfs,
       "gvfs", "", ""},
      {"1 0 0:1 / /m rw - fuse.sshfs me@tank:/srv/x rw", "/m", MountKind::sshfs, "sshfs", "tank", "/srv/x"},
      {"1 0 0:1 / /m rw - fuse.sshfs me@[fe80::1%eth0]:/srv rw", "/m", MountKind::sshfs, "sshfs",
       "fe80::1%eth0", "/srv"},
      {"1 0 0:1 / /m rw - fuse.rclone remote:path rw", "/m", MountKind::rclone, "rclone", "", "remote:path"},
      {"1 0 0:1 / /m rw - fuse https://tank:5006/dav rw", "/m", MountKind::davfs, "webdav", "tank", "/dav"},
      {"1 0 0:1 / /m rw - fuse.kio-fuse kio-fuse rw", "/m/smb/anna@tank/media/x", MountKind::kio, "kio-smb",
       "tank", "media"},
      {"1 0 0:1 / /m rw - fuse.smbnetfs smbnetfs rw", "/m/tank/media/x", MountKind::smbnetfs, "smbnetfs",
       "tank", "media"},
      {"1 0 0:1 / /m rw - fuse.glusterfs tank:/volume rw", "/m", MountKind::glusterfs, "glusterfs", "tank",
       "/volume"},
      {"1 0 0:1 / /m rw - ceph 192.0.2.1:6789,192.0.2.2:6789:/pool rw", "/m", MountKind::ceph, "ceph",
       "192.0.2.1", "/pool"},
      {"1 0 0:1 / /m rw - ceph user@fsid.fs=/pool rw,mon_addr=192.0.2.1:6789/192.0.2.2:6789", "/m",
       MountKind::ceph, "ceph", "192.0.2.1", "/pool"},
      {"1 0 0:1 / /m rw - 9p 192.0.2.5 rw,trans=tcp", "/m", MountKind::plan9, "9p", "192.0.2.5", ""},
      {"1 0 0:1 / /m rw - 9p tag rw,trans=virtio", "/m", MountKind::plan9, "9p", "", ""},
      {"1 0 0:1 / /m rw - virtiofs tag rw", "/m", MountKind::virtiofs, "virtiofs", "", ""},
      {"1 0 0:1 / /m rw - fuse.s3fs s3fs rw", "/m", MountKind::object_store, "s3fs", "", "s3fs"},
      {"1 0 0:1 / /m rw - fuse.mergerfs a:b rw", "/m", MountKind::layered, "mergerfs", "", ""},
      {"1 0 0:1 / /m rw - overlay overlay rw", "/m", MountKind::layered, "overlay", "", ""},
      {"1 0 0:1 / /m rw - fuseblk /dev/sdb1 rw", "/m", MountKind::local, "fuseblk", "", ""},
      {"1 0 8:1 / /m rw - ext4 /dev/sda1 rw", "/m", MountKind::local, "ext4", "", ""},
      {"1 0 0:1 / /m rw - autofs systemd-1 rw", "/m", MountKind::automount, "autofs", "", ""},
  }));
  CAPTURE(row.line, row.path);
  const auto mount = describe(row.line, row.path);
  CHECK(mount.kind == row.kind);
  CHECK(mount.protocol == row.protocol);
  CHECK(mount.server == row.server);
  CHECK(mount.share == row.share);
}

TEST_CASE("what sshfs was started with is read off its command line") {
  const auto options = fb::options_in_arguments(
      {"sshfs", "-f", "nas:/data", "/m", "-o", "sshfs_sync,max_read=8192", "-ono_readahead", "-C", "-o"});
  const auto names = [&] {
    std::vector<std::string> list;
    for (const auto& option : options) list.push_back(option.name + "=" + option.value);
    return list;
  }();
  CHECK(names ==
        std::vector<std::string>{"sshfs_sync=", "max_read=8192", "no_readahead=", "compression=yes"});
}

TEST_CASE("options of sshfs that make it slow are suspicious") {
  fb::Mount mount{.kind = MountKind::sshfs, .protocol = "sshfs"};
  CHECK(fb::judge_options(mount).empty());
  mount.options = {{"sshfs_sync", ""}, {"no_readahead", ""}, {"compression", "yes"}, {"direct_io", ""}};
  mount.read_request_size = ByteCount::kibibytes(8);
  std::vector<std::string> codes;
  for (const auto& note : fb::judge_options(mount)) codes.push_back(note.code);
  CHECK(codes == std::vector<std::string>{"small-rsize", "sshfs-no-read-ahead", "mount-sync",
                                          "fuse-direct-io", "ssh-compression"});
}

TEST_CASE("the captured FUSE mounts are told apart") {
  const auto table = table_of("linux6.18-mountinfo-fuse.txt");
  const auto kind_at = [&](const char* path) {
    return fb::describe_entry(*fb::entry_covering(table, path), path).kind;
  };
  CHECK(kind_at("/mnt/sshfs/x") == MountKind::sshfs);
  CHECK(kind_at("/mnt/with space") == MountKind::sshfs);
  CHECK(kind_at("/mnt/bind") == MountKind::rclone);
  CHECK(kind_at("/mnt/dav") == MountKind::davfs);
  CHECK(kind_at("/run/user/1000/gvfs/smb-share:server=tank,share=media") == MountKind::gvfs);
  const auto dav = fb::describe_entry(*fb::entry_covering(table, "/mnt/dav"), "/mnt/dav");
  CHECK(dav.port == 8088);
  CHECK(dav.encrypted == false);
}

TEST_CASE("mounts of one superblock are said to share their counters") {
  const auto table = table_of("linux6.1-mountinfo-nfs.txt");
  auto mount = fb::describe_entry(*fb::entry_covering(table, "/mnt/v3"), "/mnt/v3");
  fb::add_shared(mount, table);
  REQUIRE(mount.shares_counters_with == std::vector<std::string>{"/mnt/b"});
  CHECK(noted(mount, "counters-shared"));
}

TEST_CASE("connections of an NFS mount are counted, not read from its options") {
  const auto table = table_of("linux6.12-mountinfo-nfs-cifs.txt");
  auto mount = fb::describe_entry(*fb::entry_covering(table, "/mnt/v4"), "/mnt/v4");
  CHECK(mount.connections == 1);
  const std::string stats = fb::read_text(kSamples / "linux6.12-mountstats-v42-nconnect4.txt");
  fb::add_nfs_state(mount, fb::parse_mountstats(stats));
  CHECK(mount.connections == 4);
  REQUIRE(mount.option("acregmax") != nullptr);
  CHECK(*mount.option("acregmax") == "60");
}

TEST_CASE("signing and encryption of an SMB mount come from DebugData") {
  const auto with = [](const std::string& sample) {
    auto mount =
        describe("25 20 0:22 / /mnt/c rw - cifs //10.99.0.1/share rw,vers=3.1.1,addr=10.99.0.1", "/mnt/c");
    fb::add_cifs_state(mount, fb::parse_cifs_debug_data(fb::read_text(kSamples / sample)));
    return mount;
  };
  CHECK(with("linux6.1-cifs-debugdata-sign.txt").is_signed == true);
  CHECK(noted(with("linux6.1-cifs-debugdata-sign.txt"), "smb-signed"));
  CHECK(with("linux6.1-cifs-debugdata-default.txt").is_signed == false);
  CHECK(with("linux6.12-cifs-debugdata-seal.txt").encrypted == true);
  CHECK(noted(with("linux6.12-cifs-debugdata-seal.txt"), "smb-encrypted"));
  CHECK(with("linux6.1-cifs-debugdata-multichannel2.txt").connections == 2);
}

TEST_CASE("options that cost speed are noted, usual ones are not") {
  struct Row {
    std::string options;
    std::string code;
  };
  const auto nfs =
      GENERATE(values<Row>({{"vers=4.2,rsize=32768,wsize=1048576", "small-rsize"},
                            {"vers=4.2,wsize=65536", "small-wsize"},
                            {"vers=4.0", "nfs-old-version"},
                            {"vers=3,proto=udp", "nfs-udp"},
                            {"sync,vers=4.2", "mount-sync"},
                            {"noac,vers=4.2", "attributes-not-cached"},
                            {"acregmin=0,acregmax=0,acdirmin=0,acdirmax=0", "attributes-not-cached"},
                            {"lookupcache=none", "lookups-not-cached"},
                            {"sec=krb5p", "nfs-krb5p"},
                            {"soft", "nfs-soft"},
                            {"proto=tcp,timeo=50", "nfs-short-timeout"},
                            {"fsc", "nfs-fscache"}}));
  CAPTURE(nfs.options);
  CHECK(noted(describe("1 0 0:1 / /m rw - nfs4 tank:/v rw," + nfs.options, "/m"), nfs.code));
}

TEST_CASE("SMB options that cost speed are noted") {
  struct Row {
    std::string options;
    std::string code;
  };
  const auto smb = GENERATE(values<Row>({{"vers=1.0", "smb-old-version"},
                                         {"cache=none", "smb-no-cache"},
                                         {"seal", "smb-encrypted"},
                                         {"rsize=65536", "small-rsize"},
                                         {"multichannel,max_channels=4", "smb-no-extra-channel"},
                                         {"actimeo=0", "attributes-not-cached"},
                                         {"nolease", "smb-no-lease"},
                                         {"max_credits=64", "smb-few-credits"}}));
  CAPTURE(smb.options);
  CHECK(noted(describe("1 0 0:1 / /m rw - cifs //tank/m rw," + smb.options, "/m"), smb.code));
}

TEST_CASE("a usual mount has nothing suspicious about it") {
  const auto nfs = describe(
      "1 0 0:1 / /m rw,relatime - nfs4 tank:/v "
      "rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,acregmin=3,acregmax=60,"
      "acdirmin=30,acdirmax=60,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,sec=sys,local_lock=none,addr="
      "192.0.2.5",
      "/m");
  CHECK(fb::judge_options(nfs).empty());
  CHECK(nfs.connections == 4);
  CHECK(nfs.read_request_size == ByteCount::mebibytes(1));
  CHECK(nfs.address == "192.0.2.5");
  CHECK_FALSE(nfs.read_only);
  const auto smb = describe(
      "1 0 0:1 / /m rw - cifs //tank/m rw,vers=3.1.1,cache=strict,soft,rsize=4194304,wsize=4194304,actimeo=1",
      "/m");
  CHECK(fb::judge_options(smb).empty());
}

TEST_CASE("either option list makes a mount read-only") {
  CHECK(describe("1 0 0:1 / /m ro - nfs4 tank:/v rw", "/m").read_only);
  CHECK(describe("1 0 0:1 / /m rw - nfs4 tank:/v ro", "/m").read_only);
}

TEST_CASE("NFS read-ahead below the request size is noted with what it allows") {
  auto mount = describe("1 0 0:61 / /m rw - nfs4 tank:/v rw,rsize=1048576", "/m");
  CHECK_FALSE(fb::judge_read_ahead(mount, std::nullopt));
  mount.read_ahead = ByteCount::kibibytes(128);
  const auto note = fb::judge_read_ahead(mount, std::chrono::microseconds(5000));
  REQUIRE(note);
  CHECK(note->code == "nfs-small-read-ahead");
  CHECK(note->text.find("52 MB/s") != std::string::npos);
  CHECK_FALSE(fb::judge_read_ahead(mount, std::chrono::microseconds(40)));  // enough for 6 GB/s
  mount.read_ahead = ByteCount::mebibytes(4);
  CHECK_FALSE(fb::judge_read_ahead(mount, std::chrono::microseconds(5000)));
}
