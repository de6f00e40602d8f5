// What is suspicious about how a share is mounted, option by option.

#include "mount_description.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace nasdiag::filebench {

namespace {

using measure::Note;
using measure::Notes;
using measure::Severity;

void warn(Notes& notes, std::string code, std::string text) {
  notes.push_back({.code = std::move(code), .severity = Severity::warning, .text = std::move(text)});
}

void inform(Notes& notes, std::string code, std::string text) {
  notes.push_back({.code = std::move(code), .severity = Severity::info, .text = std::move(text)});
}

bool has(const Mount& mount, std::string_view name) { return mount.option(name) != nullptr; }

bool is(const Mount& mount, std::string_view name, std::string_view value) {
  const std::string* found = mount.option(name);
  return found != nullptr && *found == value;
}

std::string kibibytes(ByteCount size) { return std::to_string(size.bytes() / 1024) + " KiB"; }

bool attributes_never_cached(const Mount& mount) {
  if (has(mount, "noac") || is(mount, "actimeo", "0")) return true;
  constexpr std::array kTimes{"acregmin", "acregmax", "acdirmin", "acdirmax"};
  return std::all_of(kTimes.begin(), kTimes.end(), [&](const char* name) { return is(mount, name, "0"); });
}

void judge_request_sizes(const Mount& mount, ByteCount small, Notes& notes) {
  const auto look = [&](const std::optional<ByteCount>& size, const char* name) {
    if (size && *size < small)
      warn(notes, std::string("small-") + name,
           std::string(name) + " is only " + kibibytes(*size) +
               ": many small requests. Take the option out of "
               "fstab; if it stays small, the server offers no more (a NAS with little memory does that).");
  };
  look(mount.read_request_size, "rsize");
  look(mount.write_request_size, "wsize");
}

void judge_nfs_safety(const Mount& mount, Notes& notes) {
  if (has(mount, "soft") || has(mount, "softerr"))
    inform(notes, "nfs-soft",
           "A soft mount gives up with EIO when the server is slow, and writes may be lost: use hard.");
  const std::string* timeout = mount.option("timeo");
  const auto tenths = timeout != nullptr ? number(*timeout) : std::nullopt;
  if (tenths && *tenths < 100 && is(mount, "proto", "tcp"))
    warn(notes, "nfs-short-timeout",
         "timeo=" + *timeout + " (tenths of a second) makes false timeouts over TCP: use 600.");
}

void judge_nfs(const Mount& mount, Notes& notes) {
  judge_request_sizes(mount, ByteCount::kibibytes(256), notes);
  if (is(mount, "vers", "2") || is(mount, "vers", "4.0"))
    warn(notes, "nfs-old-version",
         "NFS " + *mount.option("vers") + " works with one slot table and no sessions: use 4.1 or 4.2.");
  if (is(mount, "proto", "udp"))
    warn(notes, "nfs-udp", "NFS over UDP sends whole requests again when one packet is lost: use proto=tcp.");
  if (has(mount, "sync"))
    warn(notes, "mount-sync", "The mount option sync makes every write wait for the server: take it out.");
  if (attributes_never_cached(mount))
    warn(notes, "attributes-not-cached",
         "noac or actimeo=0: every look at a file asks the server, and writes wait as with sync. Take it "
         "out.");
  if (is(mount, "lookupcache", "none") || is(mount, "lookupcache", "pos"))
    warn(notes, "lookups-not-cached",
         "lookupcache=" + *mount.option("lookupcache") + ": path lookups go to the server.");
  if (is(mount, "sec", "krb5p") || is(mount, "sec", "krb5i"))
    warn(notes, "nfs-" + *mount.option("sec"),
         "sec=" + *mount.option("sec") +
             " costs CPU for every byte on both sides: use krb5 where the network can be trusted.");
  if (const std::string* tls = mount.option("xprtsec"); tls != nullptr && *tls != "none")
    inform(notes, "nfs-tls", "NFS over TLS costs CPU for every byte on both sides.");
  if (has(mount, "nordirplus") || is(mount, "rdirplus", "none"))
    inform(notes, "nfs-no-readdirplus",
           "nordirplus: listing folders with attributes asks for every file apart.");
  if (has(mount, "fsc"))
    inform(notes, "nfs-fscache",
           "fsc keeps a copy on the local disk, which can be the limit, and cold reads must pass it.");
  judge_nfs_safety(mount, notes);
}

void judge_cifs(const Mount& mount, Notes& notes) {
  judge_request_sizes(mount, ByteCount::kibibytes(256), notes);
  if (is(mount, "vers", "1.0") || is(mount, "vers", "2.0"))
    warn(notes, "smb-old-version",
         "SMB " + *mount.option("vers") + " sends small requests one at a time: use vers=3.1.1.");
  if (is(mount, "cache", "none"))
    warn(notes, "smb-no-cache",
         "cache=none sends every read and write to the server as the program makes it: use cache=strict.");
  if (mount.encrypted.value_or(false))
    warn(notes, "smb-encrypted",
         "The share is encrypted (seal): costs CPU for every byte on both sides. "
         "Where the network can be trusted, mount without seal and don't require it on the NAS.");
  else if (mount.is_signed.value_or(false))
    warn(notes, "smb-signed",
         "Every packet is signed, which costs CPU on both sides: with SMB 3.0 as much as "
         "encryption. Don't require signing on either side where the network can be trusted.");
  if (has(mount, "multichannel") && mount.connections <= 1)
    warn(notes, "smb-no-extra-channel",
         "multichannel is set, but there is only one connection: the server offers no second.");
  if (is(mount, "actimeo", "0") || is(mount, "acregmax", "0"))
    warn(notes, "attributes-not-cached", "actimeo=0: every look at a file asks the server. Take it out.");
  if (has(mount, "nolease"))
    warn(notes, "smb-no-lease", "nolease keeps this machine from caching files at all: take it out.");
  const std::string* credits = mount.option("max_credits");
  if (const auto count = credits != nullptr ? number(*credits) : std::nullopt; count && *count < 500)
    warn(notes, "smb-few-credits", "max_credits=" + *credits + " limits requests in flight: take it out.");
}

void judge_sshfs(const Mount& mount, Notes& notes) {
  if (mount.read_request_size && *mount.read_request_size < ByteCount::kibibytes(64))
    warn(notes, "small-rsize",
         "max_read is only " + kibibytes(*mount.read_request_size) +
             ": many small requests, each a round trip. Take the option out.");
  if (has(mount, "no_readahead"))
    warn(notes, "sshfs-no-read-ahead",
         "no_readahead: sshfs asks for nothing before a program wants it, so each round trip is waited for. "
         "Take it out.");
  if (has(mount, "sshfs_sync"))
    warn(notes, "mount-sync",
         "The option sshfs_sync makes every write wait for the server's answer: take it out.");
  if (has(mount, "direct_io"))
    warn(notes, "fuse-direct-io",
         "direct_io: every read of a program goes to the server as small as it is, with nothing read ahead. "
         "Take it out.");
  if (is(mount, "compression", "yes") || is(mount, "Compression", "yes"))
    warn(
        notes, "ssh-compression",
        "ssh compresses everything it carries, which costs more time than it saves on a local network: mount "
        "without -C or compression=yes.");
  if (is(mount, "cache", "no") || is(mount, "dir_cache", "no"))
    warn(notes, "attributes-not-cached",
         "Every look at a file asks the server: take the option cache=no out.");
}

void judge_user_space(const Mount& mount, Notes& notes) {
  if (mount.kind == MountKind::gvfs)
    inform(notes, "gvfs-user-space",
           "GVfs moves data through two helper processes and waits for each piece a program "
           "writes; a kernel mount (cifs, nfs) of the same share is usually faster.");
  if (mount.kind == MountKind::rclone || mount.kind == MountKind::davfs ||
      mount.kind == MountKind::object_store)
    inform(notes, "write-back-cache",
           "This mount may say that data is safe before the server has it: only the network "
           "interface's counters tell when it was really sent.");
}

}  // namespace

Notes judge_options(const Mount& mount) {
  Notes notes;
  if (mount.kind == MountKind::nfs) judge_nfs(mount, notes);
  if (mount.kind == MountKind::cifs) judge_cifs(mount, notes);
  if (mount.kind == MountKind::sshfs) judge_sshfs(mount, notes);
  judge_user_space(mount, notes);
  if (!mount.shares_counters_with.empty() && (mount.kind == MountKind::nfs || mount.kind == MountKind::cifs))
    inform(notes, "counters-shared",
           "Its counters and connections are shared with " + mount.shares_counters_with.front() +
               (mount.shares_counters_with.size() > 1 ? " and others" : "") +
               ": what is done there counts here, and the first mount's options hold for both.");
  return notes;
}

std::optional<Note> judge_read_ahead(const Mount& mount,
                                     std::optional<std::chrono::microseconds> round_trip) {
  if (mount.kind != MountKind::nfs || !mount.read_ahead) return std::nullopt;
  const ByteCount request = mount.read_request_size.value_or(ByteCount::mebibytes(1));
  if (*mount.read_ahead >= request) return std::nullopt;
  std::string text = "NFS reads ahead only " + kibibytes(*mount.read_ahead) + " although requests may be " +
                     kibibytes(request) + " (read_ahead_kb of " + mount.device + ")";
  if (round_trip && round_trip->count() > 0) {
    // With sequential hints the kernel keeps twice the window in flight.
    const measure::DataRate most = (*mount.read_ahead * 2) / *round_trip;
    constexpr measure::DataRate kBeyondUse = measure::DataRate::megabytes_per_second(5000);
    if (most > kBeyondUse) return std::nullopt;  // so short a way needs no more
    text += ": at " + std::to_string(round_trip->count()) + " µs round trip one reader gets at most about " +
            std::to_string(static_cast<int>(most.megabytes_per_second())) + " MB/s";
  }
  text += ". Try 1024 to 4096: echo 4096 > /sys/class/bdi/" + mount.device + "/read_ahead_kb as root.";
  return Note{.code = "nfs-small-read-ahead", .severity = Severity::warning, .text = text};
}

}  // namespace nasdiag::filebench
