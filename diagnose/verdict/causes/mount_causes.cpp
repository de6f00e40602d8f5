#include "diagnose/verdict/causes/situation.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>

// The file protocol, its client and its server program.

namespace nasdiag::verdict {

namespace {

using filebench::MountKind;
using measure::DataRate;
using measure::Seconds;

// A round trip from which on a fixed amount in flight costs more than it saves.
constexpr Seconds kLongRoundTrip{0.004};

// Busy programs that serve the mount: its implementation, beyond doubt about the NAS. Unless plain TCP fills
// a core of this computer at a rate not far above: then any program would.
std::optional<Sign> of_user_space(const Situation& s) {
  if (!s.below_all()) return std::nullopt;
  const auto our_end = s.writes() ? netbench::Limit::sender : netbench::Limit::receiver;
  const bool weak_processor = full_in_network_test(s, our_end).has_value();
  for (const char* code : {"mount-thread", "mount-in-turn"})
    if (const auto* busy = s.saturation(code))
      return Sign{.strength = weak_processor ? strength::kGood : strength::kNamed,
                  .most = s.limit.lowest && !weak_processor ? Confidence::certain : Confidence::likely,
                  .evidence = {busy->text}};
  return Sign{.strength = s.limit.lowest ? strength::kGood : strength::kFair};
}

std::optional<Sign> gvfs_overhead(const Situation& s) {
  return s.mount_kind() == MountKind::gvfs ? of_user_space(s) : std::nullopt;
}

std::optional<Sign> kio_overhead(const Situation& s) {
  return s.mount_kind() == MountKind::kio ? of_user_space(s) : std::nullopt;
}

bool is_fuse(MountKind kind) {
  return kind == MountKind::sshfs || kind == MountKind::rclone || kind == MountKind::davfs ||
         kind == MountKind::layered || kind == MountKind::other_fuse || kind == MountKind::object_store;
}

std::optional<Sign> fuse_layer(const Situation& s) {
  return is_fuse(s.mount_kind()) ? of_user_space(s) : std::nullopt;
}

std::optional<Sign> sshfs_latency(const Situation& s) {
  const auto rtt = s.round_trip();
  if (s.mount_kind() != MountKind::sshfs || !s.below_all() || !rtt || *rtt < kLongRoundTrip)
    return std::nullopt;
  return Sign{.strength = strength::kStrong,
              .evidence = {"The round trip is " + measure::duration_text(*rtt) +
                           "; rate × round trip makes " + to_text(*s.job() * *rtt) + " in flight."}};
}

std::optional<Sign> userland_smb_client(const Situation& s) {
  if (s.mount_kind() != MountKind::smbnetfs || !s.below_all()) return std::nullopt;
  return Sign{.strength = strength::kFair};
}

// A note on the mount's options that is a cause when nothing else explains the rate.
std::optional<Sign> option(const Situation& s, std::string_view code, double how_strong) {
  const auto* note = s.note(code);
  if (note == nullptr || !s.below_all()) return std::nullopt;
  return Sign{.strength = how_strong, .advice = note->text};
}

std::optional<Sign> sync_option(const Situation& s) {
  return s.writes() ? option(s, "mount-sync", strength::kStrong) : std::nullopt;
}
std::optional<Sign> smb_encryption(const Situation& s) { return option(s, "smb-encrypted", strength::kGood); }
std::optional<Sign> smb_signing(const Situation& s) { return option(s, "smb-signed", strength::kGood); }
std::optional<Sign> nfs_timeo(const Situation& s) { return option(s, "nfs-short-timeout", strength::kGood); }
std::optional<Sign> nfs_udp(const Situation& s) { return option(s, "nfs-udp", strength::kFair); }
std::optional<Sign> nfs_wsize(const Situation& s) {
  if (!s.writes()) return std::nullopt;
  if (auto sign = option(s, "small-wsize", strength::kGood)) return sign;
  // Without options told, a write that hardly moves.
  const bool slow = s.below_all() && s.mount_kind() == MountKind::nfs && s.from_memory() == nullptr &&
                    *s.job() < DataRate::megabytes_per_second(5);
  return slow && !s.evidence.facts.mount->write_request_size
             ? std::optional(Sign{.strength = strength::kHint})
             : std::nullopt;
}

// Twice the read-ahead per round trip is what one reader gets: a rate near it, with a network that carries
// more.
std::optional<Sign> far_read_ahead(const Situation& s) {
  constexpr double kNear = 2;
  if (s.mount_kind() != MountKind::nfs || !s.below_all() || !s.round_trip()) return std::nullopt;
  const filebench::Mount& mount = *s.evidence.facts.mount;
  const auto round_trip = std::chrono::duration_cast<std::chrono::microseconds>(*s.round_trip());
  const auto note = filebench::judge_read_ahead(mount, round_trip);
  if (!note || round_trip.count() <= 0) return std::nullopt;
  const DataRate most = (*mount.read_ahead * 2) / *s.round_trip();
  if (*s.job() > most * kNear || *s.job() * kNear < most) return std::nullopt;
  return Sign{.strength = strength::kGood, .evidence = {note->text}};
}

std::optional<Sign> nfs_readahead(const Situation& s) {
  if (s.writes()) return std::nullopt;
  if (auto sign = option(s, "nfs-small-read-ahead", strength::kGood)) return sign;
  if (auto sign = far_read_ahead(s)) return sign;
  // Not told: kernels since 5.4 read ahead 128 KiB, an eighth of one request.
  if (s.mount_kind() != MountKind::nfs || !s.below_all() || s.evidence.facts.mount->read_ahead)
    return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> small_read_size(const Situation& s) {
  if (s.writes()) return std::nullopt;
  for (const char* code : {"small-rsize", "smb-no-cache"})
    if (auto sign = option(s, code, strength::kGood)) return sign;
  const bool hardly_moves = s.below_all() && *s.job() < DataRate::megabytes_per_second(1);
  if (!hardly_moves || s.from_memory() != nullptr || !s.evidence.facts.mount) return std::nullopt;
  return Sign{.strength = strength::kEven,
              .evidence = {"Reading hardly moves: as with small requests, each waited for."}};
}

std::optional<Sign> small_write_size(const Situation& s) {
  if (!s.writes()) return std::nullopt;
  if (auto sign = option(s, "smb-no-cache", strength::kGood)) return sign;
  const bool hardly_moves = s.below_all() && *s.job() < DataRate::megabytes_per_second(1);
  if (!hardly_moves || s.from_memory() != nullptr || !s.evidence.facts.mount ||
      s.mount_kind() == MountKind::nfs)
    return std::nullopt;
  return Sign{.strength = strength::kEven,
              .evidence = {"Writing hardly moves: as with small requests, each waited for."}};
}

std::optional<Sign> single_connection(const Situation& s) {
  const bool one = s.evidence.facts.mount && s.evidence.facts.mount->connections <= 1 &&
                   (s.mount_kind() == MountKind::nfs || s.mount_kind() == MountKind::cifs);
  if (!one || !s.job() || s.link_full()) return std::nullopt;
  const auto tcp = s.rate(Layer::tcp);
  const auto more = s.rate(Layer::path);
  if (tcp && more && s.more_streams() != nullptr && *more > *tcp * 1.3 && *s.job() > *tcp * 0.7)
    return Sign{.strength = strength::kFair,
                .evidence = {"The mount has one connection and gets what one TCP stream gets; several get " +
                             to_text(*more) + "."}};
  // Faster than most single connections, on a link that is faster still.
  if (!s.below_all() || *s.job() < DataRate::megabytes_per_second(400)) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> metadata_latency(const Situation& s) {
  constexpr double kTurnsPerSecond = 60;
  const auto& files = s.evidence.told.small_files;
  if (!files || files->per_second() < kTurnsPerSecond || !s.below_all()) return std::nullopt;
  return Sign{.strength = strength::kFair};
}

bool smb_below_all(const Situation& s) {
  return s.mount_kind() == MountKind::cifs && s.below_all() && s.from_memory() == nullptr;
}

std::optional<Sign> smb_server_socket_options(const Situation& s) {
  const auto lowest = s.limit.lowest ? s.rate(*s.limit.lowest) : std::nullopt;
  if (!smb_below_all(s) || !lowest || *s.job() > *lowest * 0.3) return std::nullopt;
  const auto balance = s.job_against_opposite();
  if (balance && (*balance < 0.3 || *balance > 3)) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> smb_server_read_path(const Situation& s) {
  const auto balance = s.job_against_opposite();
  if (s.writes() || !smb_below_all(s) || !balance || *balance > 0.6) return std::nullopt;
  const auto disk = s.rate(Layer::nas_disk);
  const bool disk_fast = disk && *disk > *s.job() * 1.5;
  return Sign{
      .strength = disk_fast ? strength::kGood : strength::kFair,
      .evidence = {"Writing over the same mount reaches " + to_text(s.opposite.job()->rate.value) + "."}};
}

std::optional<Sign> smb_multichannel(const Situation& s) {
  const auto link = s.rate(Layer::link);
  if (!smb_below_all(s) || !link || *link < DataRate::megabits_per_second(9000)) return std::nullopt;
  return Sign{.strength = strength::kHint};
}

std::optional<Sign> smb_server_io(const Situation& s) {
  if (!smb_below_all(s)) return std::nullopt;
  return Sign{.strength = strength::kHint};
}

constexpr const char* kKernelMount =
    "Mount the same share with the kernel for a try (`mount -t cifs //SERVER/SHARE /mnt/nas`) and copy "
    "there.";
constexpr const char* kNasLook =
    "Look at the NAS's disks and processor during a copy (its resource monitor, or `top` and `iostat -x 1` "
    "over SSH): "
    "idle ones leave the mount.";
constexpr const char* kOptions =
    "Look at the mount's options and request sizes: `findmnt -o OPTIONS MOUNT`, `nfsstat -m`.";
constexpr const char* kSession = "Look whether the session is signed or encrypted: `smbstatus` on the NAS.";

constexpr std::array kCauses{
    Cause{
        .id = "mount/gvfs-overhead",
        .layer = Layer::mount,
        .meaning = "GNOME/GVfs location instead of a kernel mount",
        .seen = "the mount is a GVfs location, TCP and disks are faster; a kernel mount of the share is 2 to "
                "6 times faster",
        .against = "a kernel mount of the same share is as slow",
        .look_alikes = {{{"mount/smb-signing", kKernelMount},
                         {"nas-disk/slow-hdd", kKernelMount},
                         {"nas-disk/sync-write", kKernelMount}}},
        .advice =
            "Mount the share with the kernel instead of the file manager: `sudo mount -t cifs //SERVER/SHARE "
            "/mnt/nas -o user=NAME,uid=$(id -u)` (or the same in /etc/fstab), and copy there.",
        .gain = "2 to 6 times, up to the next limit",
        .recognise = gvfs_overhead},
    Cause{.id = "mount/smb-signing",
          .layer = Layer::mount,
          .meaning = "signatures in software",
          .seen = "the session is signed, one thread of client or server full",
          .against = "`smbstatus` says unsigned, or no core is full",
          .look_alikes = {{{"nas-cpu/small-cpu", kSession}, {"mount/smb-encryption", kSession}}},
          .advice = "Don't require signing where the network can be trusted: `server signing = disabled` in "
                    "smb.conf, and "
                    "mount without sign; SMB 3.1.1 with AES-GMAC signs fastest.",
          .gain = "up to twice",
          .recognise = smb_signing},
    Cause{.id = "mount/metadata-latency",
          .layer = Layer::mount,
          .meaning = "round trips per file",
          .seen = "hundreds of small files a second and full rate with large ones",
          .against = "some ten files a second: then each waits for the disk",
          .look_alikes = {{{"nas-disk/sync-write",
                            "Measure one synchronous write on the NAS: under 1 ms leaves the round "
                            "trips."}}},
          .advice = "Copy many small files as one stream: `tar c FOLDER | ssh NAS tar x -C SHARE`, or "
                    "several copies at once.",
          .gain = "ten times with many small files",
          .recognise = metadata_latency},
    Cause{.id = "mount/userland-smb-client",
          .layer = Layer::mount,
          .meaning = "SMB library inside a program",
          .seen = "a program speaks SMB itself; a kernel mount of the share is faster",
          .against = "a kernel mount is as slow",
          .look_alikes = {{{"mount/small-read-size", kKernelMount}, {"mount/smb-signing", kKernelMount}}},
          .advice = "Mount the share with the kernel (`mount -t cifs //SERVER/SHARE /mnt/nas`) and let the "
                    "program use files.",
          .gain = "2 to 6 times",
          .recognise = userland_smb_client},
    Cause{
        .id = "mount/smb-server-socket-options",
        .layer = Layer::mount,
        .meaning = "hand-set socket buffers in Samba",
        .seen = "`socket options` with SO_RCVBUF or SO_SNDBUF in smb.conf, a small fixed window during the "
                "copy only",
        .against = "smb.conf sets no buffers",
        .look_alikes = {{{"nas-disk/slow-hdd",
                          "Look for `socket options` in the server's smb.conf: `testparm -s`."},
                         {"tcp/socket-buffer", "Measure TCP with the system's own buffers: `iperf3 -c NAS`."},
                         {"mount/smb-signing", kSession}}},
        .advice = "Take SO_RCVBUF and SO_SNDBUF out of `socket options` in the NAS's smb.conf (`testparm -s` "
                  "shows them) "
                  "and restart Samba.",
        .gain = "3 to 10 times",
        .recognise = smb_server_socket_options},
    Cause{
        .id = "mount/single-connection",
        .layer = Layer::mount,
        .meaning = "one TCP connection per mount",
        .seen = "the file job equals one TCP stream, several streams reach more",
        .against = "several files at once are no faster with nconnect",
        .look_alikes = {{{"link/lacp-single-flow",
                          "Compare the members' counters during a copy: `ip -s link`."},
                         {"tcp/single-stream", "Mount once with nconnect=4."},
                         {"mount/smb-multichannel", "Look at the connections: `ss -t dst NAS`."}}},
        .advice =
            "Mount with several connections: `-o nconnect=4` (NFS), `-o multichannel,max_channels=4` (SMB).",
        .gain = "up to what several streams reach",
        .recognise = single_connection},
    Cause{.id = "mount/fuse-layer",
          .layer = Layer::mount,
          .meaning = "a FUSE file system under or over the share",
          .seen = "sshfs, rclone, davfs, encfs or another FUSE file system; its process busy",
          .against = "each layer alone is as slow",
          .look_alikes = {{{"nas-cpu/ssh-cipher",
                            "Watch sshd on the NAS and ssh here: which is at a full core?"},
                           {"nas-disk/slow-hdd", kNasLook},
                           {"nas-disk/sync-write", kNasLook}}},
          .advice = "Mount the share with the kernel (NFS or `mount -t cifs`) instead of through a "
                    "user-space file system.",
          .gain = "2 to 10 times, up to the next limit",
          .recognise = fuse_layer},
    Cause{.id = "mount/nfs-readahead",
          .layer = Layer::mount,
          .meaning = "read-ahead of the mount",
          .seen = "read_ahead_kb smaller than rsize; buffered reads slow, large direct ones or several "
                  "readers fast",
          .against = "read_ahead_kb is several times rsize",
          .look_alikes = {{{"nas-disk/slow-hdd",
                            "Raise it for a try: `echo 4096 > /sys/class/bdi/MAJOR:MINOR/read_ahead_kb`, "
                            "and read again."},
                           {"nas-disk/fragmentation",
                            "Raise it for a try: `echo 4096 > "
                            "/sys/class/bdi/MAJOR:MINOR/read_ahead_kb`."}}},
          .advice = "Raise the mount's read-ahead: `echo 4096 > /sys/class/bdi/MAJOR:MINOR/read_ahead_kb` "
                    "(MAJOR:MINOR from "
                    "`mountpoint -d MOUNT`), for ever by a udev rule or nfsrahead.",
          .gain = "1.5 to 10 times in reading",
          .recognise = nfs_readahead},
    Cause{.id = "mount/small-read-size",
          .layer = Layer::mount,
          .meaning = "small reads without cache",
          .seen = "the rate is proportional to the request size; rsize or the program's reads are small",
          .against = "larger reads are no faster",
          .look_alikes = {{{"path/wifi", "Measure TCP over the same radio: `iperf3 -c NAS` and -R."},
                           {"mount/fuse-layer", "Read with large requests for a try: `dd bs=1M`."}}},
          .advice = "Read in pieces of 1 MiB (`dd bs=1M`, the program's buffer setting) and take small "
                    "rsize= out of the mount "
                    "options.",
          .gain = "in proportion to the request size",
          .recognise = small_read_size},
    Cause{.id = "mount/smb-encryption",
          .layer = Layer::mount,
          .meaning = "encryption in software",
          .seen = "the session is encrypted, one thread of client or server full",
          .against = "`smbstatus` says unencrypted, or no core is full",
          .look_alikes = {{{"nas-cpu/small-cpu", kSession}, {"mount/smb-signing", kSession}}},
          .advice =
              "Where the network can be trusted, mount without seal and set `smb encrypt = off` on the NAS.",
          .gain = "up to 3 times",
          .recognise = smb_encryption},
    Cause{.id = "mount/sync-option",
          .layer = Layer::mount,
          .meaning = "sync mount option",
          .seen = "sync in the mount's options (`findmnt`), writes only",
          .against = "no sync in the options",
          .look_alikes = {{{"nas-disk/sync-write", kOptions}, {"nas-disk/slow-hdd", kOptions}}},
          .advice = "Take `sync` out of the mount's options (fstab) and mount again.",
          .gain = "2 to 10 times in writing",
          .recognise = sync_option},
    Cause{.id = "mount/kio-overhead",
          .layer = Layer::mount,
          .meaning = "KDE's equivalent of GVfs",
          .seen = "the copy runs through KIO; a kernel mount of the share is faster",
          .against = "a kernel mount of the same share is as slow",
          .look_alikes = {{{"mount/smb-signing", kKernelMount}, {"nas-disk/slow-hdd", kKernelMount}}},
          .advice = "Mount the share with the kernel (`mount -t cifs //SERVER/SHARE /mnt/nas` or NFS) and "
                    "copy there.",
          .gain = "2 to 6 times, up to the next limit",
          .recognise = kio_overhead},
    Cause{.id = "mount/nfs-timeo",
          .layer = Layer::mount,
          .meaning = "RPC timeout too short",
          .seen = "timeo= below 100 over TCP, RPC retransmissions without TCP loss (`nfsstat -rc`)",
          .against = "no RPC retransmissions",
          .look_alikes = {{{"path/packet-loss",
                            "Compare `nfsstat -rc` with `nstat TcpRetransSegs` during a copy."}}},
          .advice = "Mount with timeo=600 (or without the option) over TCP.",
          .gain = "up to 5 times on slow links",
          .recognise = nfs_timeo},
    Cause{.id = "mount/nfs-wsize",
          .layer = Layer::mount,
          .meaning = "tiny write size",
          .seen = "wsize below 256 KiB (`nfsstat -m`)",
          .against = "wsize is 1 MiB",
          .look_alikes = {{{"nas-disk/sync-write", kOptions}}},
          .advice = "Take wsize= out of the mount's options; if it stays small, raise it on the server "
                    "(/proc/fs/nfsd/max_block_size).",
          .gain = "2 to 10 times in writing",
          .recognise = nfs_wsize},
    Cause{
        .id = "mount/small-write-size",
        .layer = Layer::mount,
        .meaning = "small writes",
        .seen = "the rate is proportional to the size of the writes",
        .against = "larger writes are no faster",
        .look_alikes = {{{"nas-disk/sync-mounted-medium", "Write with large requests for a try: `dd bs=1M`."},
                         {"path/wifi", "Measure TCP over the same radio: `iperf3 -c NAS`."}}},
        .advice = "Write in pieces of 1 MiB (`dd bs=1M`, the program's buffer setting), and mount with SMB 3 "
                  "(vers=3.1.1).",
        .gain = "in proportion to the request size",
        .recognise = small_write_size},
    Cause{.id = "mount/smb-multichannel",
          .layer = Layer::mount,
          .meaning = "multichannel off",
          .seen = "one SMB connection on a link of 10 Gbit/s or on several links",
          .against = "`ss -t dst NAS` shows several connections",
          .look_alikes = {{{"mount/single-connection", "Look at the connections: `ss -t dst NAS`."}}},
          .advice = "Set `server multi channel support = yes` on the NAS and mount with "
                    "`multichannel,max_channels=4`.",
          .gain = "up to what several streams reach",
          .recognise = smb_multichannel},
    Cause{.id = "mount/smb-server-io",
          .layer = Layer::mount,
          .meaning = "Samba's I/O mode",
          .seen = "smbd waits, disks and processor idle; other `aio` settings are faster",
          .against = "the disks are busy",
          .look_alikes = {{{"nas-disk/slow-hdd", kNasLook}}},
          .advice = "Try `aio read size = 1` and `aio write size = 1` (or 0) in the NAS's smb.conf.",
          .gain = "up to half as much again",
          .recognise = smb_server_io},
    Cause{.id = "mount/smb-server-read-path",
          .layer = Layer::mount,
          .meaning = "few outstanding reads on the server",
          .seen = "SMB reads slow and writes good, the same file by HTTP or locally twice as fast, smbd idle",
          .against = "the file is as slow on the NAS itself",
          .look_alikes = {{{"nas-disk/slow-hdd",
                            "Read the same file on the NAS itself: `dd if=FILE of=/dev/null bs=1M`."},
                           {"nas-disk/fragmentation",
                            "Read the same file on the NAS itself: `dd if=FILE of=/dev/null bs=1M`."},
                           {"mount/smb-signing", kSession}}},
          .advice = "Raise the read-ahead of the NAS's disks (`blockdev --setra 8192 /dev/MD`) and set `aio "
                    "read size = 1` in "
                    "smb.conf.",
          .gain = "up to the disks' own rate",
          .recognise = smb_server_read_path},
    Cause{.id = "mount/sshfs-latency",
          .layer = Layer::mount,
          .meaning = "fixed bytes in flight over a long round trip",
          .seen = "rate × round trip stays the same when the round trip changes",
          .against = "a round trip under 1 ms",
          .look_alikes = {{{"nas-cpu/ssh-cipher",
                            "Copy the same file by scp: as slow is the cipher, much faster the latency."},
                           {"mount/fuse-layer", "Copy the same file by scp: much faster is the latency."}}},
          .advice = "Over a long way copy with rsync or scp instead of through sshfs, or mount with `-o "
                    "max_conns=4`.",
          .gain = "up to what scp reaches",
          .recognise = sshfs_latency},
    Cause{.id = "mount/nfs-udp",
          .layer = Layer::mount,
          .meaning = "NFS over UDP",
          .seen = "proto=udp in the mount's options",
          .against = "proto=tcp",
          .look_alikes = {{{"mount/nfs-wsize", kOptions}}},
          .advice = "Mount with proto=tcp.",
          .gain = "several times where packets get lost",
          .recognise = nfs_udp},
};

}  // namespace

std::span<const Cause> mount_causes() { return kCauses; }

}  // namespace nasdiag::verdict
