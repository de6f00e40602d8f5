// Who moves a mount's data in user space.

#include "mount_system.hpp"
#include "text.hpp"

#include <algorithm>
#include <system_error>

namespace nasdiag::filebench {

namespace {

namespace fs = std::filesystem;

struct RunningProcess {
  int pid = 0;
  std::string name;
  std::vector<std::string> arguments;
};

std::vector<RunningProcess> running_processes(const fs::path& root) {
  std::vector<RunningProcess> processes;
  std::error_code error;
  for (fs::directory_iterator entry(root / "proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = number(entry->path().filename().string());
    if (!pid) continue;
    RunningProcess process{.pid = static_cast<int>(*pid),
                           .name = std::string(trimmed(read_text(entry->path() / "comm"))),
                           .arguments = {}};
    const std::string line = read_text(entry->path() / "cmdline");
    for (const std::string_view word : split(line, '\0'))
      if (!word.empty()) process.arguments.emplace_back(word);
    processes.push_back(std::move(process));
  }
  return processes;
}

bool mentions(const RunningProcess& process, const std::string& word) {
  return !word.empty() && std::any_of(process.arguments.begin(), process.arguments.end(),
                                      [&](const std::string& argument) { return argument == word; });
}

bool mentions_part(const RunningProcess& process, const std::string& part) {
  return !part.empty() &&
         std::any_of(process.arguments.begin(), process.arguments.end(),
                     [&](const std::string& argument) { return argument.find(part) != std::string::npos; });
}

// Processes called `name` (the kernel keeps 15 letters of it); if there are several, those that were started
// with the mount point or the source.
std::vector<MountProcess> named(const std::vector<RunningProcess>& all, std::string_view name,
                                const Mount& mount) {
  std::vector<MountProcess> every;
  std::vector<MountProcess> matching;
  for (const RunningProcess& process : all) {
    if (process.name != name.substr(0, 15)) continue;
    every.push_back({.pid = process.pid, .name = process.name});
    if (mentions(process, mount.mount_point.string()) || mentions(process, mount.source))
      matching.push_back(every.back());
  }
  return matching.empty() ? every : matching;
}

// After going to the background, ssh's parent is init, so the command line has to do: ssh … host -s sftp.
void add_ssh(const std::vector<RunningProcess>& all, const Mount& mount, std::vector<MountProcess>& found) {
  for (const RunningProcess& process : all)
    if (process.name == "ssh" && mentions_part(process, mount.server) && mentions(process, "sftp"))
      found.push_back({.pid = process.pid, .name = process.name});
}

void add_gvfs(const std::vector<RunningProcess>& all, const Mount& mount, std::vector<MountProcess>& found) {
  const std::string backend = mount.protocol.starts_with("gvfs-") ? "gvfsd-" + mount.protocol.substr(5) : "";
  for (const RunningProcess& process : all)
    if (process.name == backend) found.push_back({.pid = process.pid, .name = process.name});
}

void add_options(std::string_view list, std::vector<MountOption>& options) {
  for (const std::string_view word : split(list, ',')) {
    const auto equals = word.find('=');
    if (word.empty()) continue;
    options.push_back({.name = std::string(word.substr(0, equals)),
                       .value = equals == word.npos ? "" : std::string(word.substr(equals + 1))});
  }
}

}  // namespace

// Both `-o a,b=c` and `-oa,b=c`; -C is ssh's compression.
std::vector<MountOption> options_in_arguments(const std::vector<std::string>& arguments) {
  std::vector<MountOption> options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-o" && i + 1 < arguments.size())
      add_options(arguments[++i], options);
    else if (argument.starts_with("-o"))
      add_options(std::string_view(argument).substr(2), options);
    else if (argument == "-C")
      options.push_back({.name = "compression", .value = "yes"});
  }
  return options;
}

std::vector<MountOption> options_of_daemon(const fs::path& root, const Mount& mount) {
  if (mount.kind != MountKind::sshfs) return {};
  for (const MountProcess& process : mount.processes) {
    if (process.name != "sshfs") continue;
    const std::string line = read_text(root / "proc" / std::to_string(process.pid) / "cmdline");
    std::vector<std::string> arguments;
    for (const std::string_view word : split(line, '\0')) arguments.emplace_back(word);
    return options_in_arguments(arguments);
  }
  return {};
}

std::vector<MountProcess> serving_processes(const fs::path& root, const Mount& mount) {
  std::string name;
  switch (mount.kind) {
    case MountKind::gvfs:
      name = "gvfsd-fuse";
      break;
    case MountKind::davfs:
      name = "mount.davfs";
      break;
    case MountKind::cifs:
      name = "cifsd";
      break;
    case MountKind::sshfs:
    case MountKind::rclone:
    case MountKind::kio:
    case MountKind::smbnetfs:
    case MountKind::object_store:
    case MountKind::glusterfs:
    case MountKind::layered:
    case MountKind::other_fuse:
      name = mount.type.starts_with("fuse.") ? mount.type.substr(5) : "";
      break;
    default:
      break;
  }
  if (name.empty()) return {};
  const auto all = running_processes(root);
  auto found = named(all, name, mount);
  if (mount.kind == MountKind::sshfs) add_ssh(all, mount, found);
  if (mount.kind == MountKind::gvfs) add_gvfs(all, mount, found);
  return found;
}

}  // namespace nasdiag::filebench
