#include "cifs_stats.hpp"
#include "mount_description.hpp"
#include "mount_system.hpp"
#include "mountstats.hpp"
#include "own_names.hpp"
#include "process_peers.hpp"
#include "text.hpp"
#include "worker_process.hpp"

#include <filebench/error.hpp>
#include <filebench/mount.hpp>

#include <algorithm>
#include <system_error>

namespace nasdiag::filebench {

namespace {

namespace fs = std::filesystem;

measure::Note silent_note(std::chrono::milliseconds waited) {
  return {.code = "mount-silent",
          .severity = measure::Severity::warning,
          .text = "The folder did not answer within " + std::to_string(waited.count()) +
                  " ms; what is said about its mount comes from the mount table alone."};
}

void add_block_device(const fs::path& root, Mount& mount) {
  const auto block = network_block_behind(root, mount.device);
  if (!block) return;
  mount.kind = MountKind::network_block;
  mount.protocol = mount.type + " over " + block->transport;
  mount.server = mount.address = block->address;
  mount.port = block->port;
  mount.share = block->target;
}

// /sys/class/bdi/MAJ:MIN; a FUSE file system on a block device has -fuseblk behind it.
std::optional<ByteCount> read_ahead_of(const fs::path& root, const std::string& device) {
  for (const char* suffix : {"", "-fuseblk"}) {
    const auto kibibytes =
        number(trimmed(read_text(root / "sys/class/bdi" / (device + suffix) / "read_ahead_kb")));
    if (kibibytes) return ByteCount::kibibytes(*kibibytes);
  }
  return std::nullopt;
}

// What the kernel was told, too, is there already.
void add_daemon_state(Mount& mount, const std::vector<MountOption>& options) {
  for (const MountOption& option : options)
    if (mount.option(option.name) == nullptr) mount.options.push_back(option);
  const std::string* most = mount.option("max_read");
  const auto bytes = most != nullptr ? number(*most) : std::nullopt;
  if (mount.kind == MountKind::sshfs && bytes && *bytes > 0)
    mount.read_request_size = ByteCount::bytes(*bytes);
}

// A mount that doesn't name its server (rclone, s3fs): the host its program is connected to.
void add_peer(const fs::path& root, Mount& mount) {
  if (!mount.is_network() || !mount.server.empty() || !mount.address.empty()) return;
  for (const MountProcess& process : mount.processes) {
    const auto peer = only_peer(root, process.pid);
    if (!peer) continue;
    mount.address = peer->address;
    mount.port = peer->port;
    return;
  }
}

// Then no interface counts what is moved: the server is here, or what sshfs was told to talk through leads
// there.
bool leads_past_interfaces(const fs::path& root, const Mount& mount) {
  for (const char* option : {"ssh_command", "passive", "slave"})
    if (mount.kind == MountKind::sshfs && mount.option(option) != nullptr) return true;
  return is_own_name(root, mount.address.empty() ? mount.server : mount.address);
}

}  // namespace

const std::string* Mount::option(std::string_view name) const {
  // The last one counts: the super block's options come after the mount point's.
  const auto found = std::find_if(options.rbegin(), options.rend(),
                                  [&](const MountOption& entry) { return entry.name == name; });
  return found == options.rend() ? nullptr : &found->value;
}

bool Mount::is_network() const {
  switch (kind) {
    case MountKind::local:
    case MountKind::layered:
    case MountKind::automount:
    case MountKind::virtiofs:
      return false;
    default:
      return true;
  }
}

Mount read_mount(const fs::path& root, const Resolved& resolved, const fs::path& path) {
  const auto table = parse_mount_table(read_text(root / "proc/self/mountinfo"));
  const fs::path known = resolved.error == 0 ? resolved.canonical : path;
  const MountEntry* entry = resolved.error == 0 ? entry_with_id(table, resolved.mount_id) : nullptr;
  if (entry == nullptr) entry = entry_covering(table, known);
  if (entry == nullptr) return {};
  Mount mount = describe_entry(*entry, known);
  add_shared(mount, table);
  if (mount.kind == MountKind::nfs)
    add_nfs_state(mount, parse_mountstats(read_text(root / "proc/self/mountstats")));
  if (mount.kind == MountKind::cifs)
    add_cifs_state(mount, parse_cifs_debug_data(read_text(root / "proc/fs/cifs/DebugData")));
  if (mount.kind == MountKind::local) add_block_device(root, mount);
  mount.read_ahead = read_ahead_of(root, mount.device);
  mount.processes = serving_processes(root, mount);
  add_daemon_state(mount, options_of_daemon(root, mount));
  add_peer(root, mount);
  mount.past_the_interfaces = leads_past_interfaces(root, mount);
  mount.suspicious = judge_options(mount);
  return mount;
}

Mount find_mount(const fs::path& path, const FindMountOptions& options) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  WorkerProcess worker(options.worker_program);
  std::string reply;
  const auto ending =
      worker.ask(Command::resolve, packed(Resolve{absolute}),
                 {.stall_limit = options.time_limit, .stop = {}, .on_tick = {}, .sign_of_life = {}}, reply);
  if (ending == WorkerProcess::Ending::died)
    throw std::system_error(Errc::worker_not_started, "looking at " + absolute.string());
  if (ending == WorkerProcess::Ending::answered) {
    const auto resolved = unpacked<Resolved>(reply);
    worker.finish(std::chrono::milliseconds(500));
    // A dead FUSE mount answers at once, with an error: its entry in the table is still worth telling.
    if (resolved.error != 0 && resolved.error != ENOTCONN)
      throw std::system_error(resolved.error, std::generic_category(), "looking at " + absolute.string());
    return read_mount("/", resolved, absolute);
  }
  Mount mount = read_mount("/", Resolved{.error = ETIMEDOUT, .canonical = {}}, absolute);
  mount.suspicious.push_back(silent_note(options.time_limit));
  return mount;
}

std::string_view to_string(MountKind kind) {
  switch (kind) {
    case MountKind::local:
      return "local";
    case MountKind::nfs:
      return "nfs";
    case MountKind::cifs:
      return "cifs";
    case MountKind::gvfs:
      return "gvfs";
    case MountKind::sshfs:
      return "sshfs";
    case MountKind::rclone:
      return "rclone";
    case MountKind::davfs:
      return "davfs";
    case MountKind::kio:
      return "kio";
    case MountKind::smbnetfs:
      return "smbnetfs";
    case MountKind::object_store:
      return "object-store";
    case MountKind::glusterfs:
      return "glusterfs";
    case MountKind::ceph:
      return "ceph";
    case MountKind::plan9:
      return "9p";
    case MountKind::virtiofs:
      return "virtiofs";
    case MountKind::network_block:
      return "network-block";
    case MountKind::layered:
      return "layered";
    case MountKind::other_fuse:
      return "fuse";
    case MountKind::automount:
      return "automount";
  }
  return "local";
}

}  // namespace nasdiag::filebench
