#include <diagnose/facts/text.hpp>
#include <diagnose/observe/parse.hpp>
#include <diagnose/observe/processes.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace nasdiag::observe {

using evidence::ProcessRole;

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

Folder open_folder(int base, const std::string& name) {
  const int descriptor = ::openat(base, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  Folder folder(::fdopendir(descriptor));
  if (!folder) ::close(descriptor);
  return folder;
}

bool starts_with_any(const std::string& name, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

ProcessReader::ProcessReader(const std::filesystem::path& root)
    : proc_(::open((root / "proc").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

ProcessReader::~ProcessReader() {
  if (proc_ >= 0) ::close(proc_);
}

std::optional<TaskCounters> ProcessReader::read(const std::string& file) const {
  const int descriptor = ::openat(proc_, file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::array<char, 1024> text;
  const ssize_t got = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  if (got <= 0) return std::nullopt;
  return parse_task({text.data(), static_cast<std::size_t>(got)});
}

std::vector<TaskCounters> ProcessReader::read_numbered(const std::string& folder_name) const {
  std::vector<TaskCounters> tasks;
  const Folder folder = open_folder(proc_, folder_name);
  if (!folder) return tasks;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    if (auto task = read(folder_name + "/" + entry->d_name + "/stat")) tasks.push_back(std::move(*task));
  }
  return tasks;
}

std::vector<TaskCounters> ProcessReader::all() const { return read_numbered("."); }

std::optional<TaskCounters> ProcessReader::one(int process) const {
  return read(std::to_string(process) + "/stat");
}

std::vector<TaskCounters> ProcessReader::threads(int process) const {
  return read_numbered(std::to_string(process) + "/task");
}

std::set<std::uint32_t> ProcessReader::socket_inodes(int process) const {
  std::set<std::uint32_t> inodes;
  const std::string name = std::to_string(process) + "/fd";
  const Folder folder = open_folder(proc_, name);
  if (!folder) return inodes;
  while (const dirent* entry = ::readdir(folder.get())) {
    std::array<char, 64> target;
    const ssize_t length = ::readlinkat(::dirfd(folder.get()), entry->d_name, target.data(), target.size());
    constexpr std::string_view beginning = "socket:[";
    if (length <= 0) continue;
    const std::string_view text(target.data(), static_cast<std::size_t>(length));
    if (!text.starts_with(beginning)) continue;
    if (const auto inode = facts::to_number<std::uint32_t>(text.substr(beginning.size())))
      inodes.insert(*inode);
  }
  return inodes;
}

ProcessRole role_by_name(const TaskCounters& task) {
  static constexpr std::array daemons{"sshfs",     "gvfsd",    "rclone",   "mount.davfs", "smbnetfs",
                                      "s3fs",      "goofys",   "geesefs",  "kio-fuse",    "kioworker",
                                      "glusterfs", "mergerfs", "encfs",    "gocryptfs",   "afpfsd",
                                      "curlftpfs", "unionfs",  "ceph-fuse"};
  static constexpr std::array servers{"smbd", "nfsd",  "sftp-server", "sshd",   "ganesha.nfsd",
                                      "afpd", "ksmbd", "vsftpd",      "proftpd"};
  if (task.kernel_thread) return task.name == "nfsd" ? ProcessRole::file_server : ProcessRole::kernel_worker;
  if (starts_with_any(task.name, daemons)) return ProcessRole::mount_daemon;
  if (task.name == "ssh") return ProcessRole::mount_transport;
  if (starts_with_any(task.name, servers)) return ProcessRole::file_server;
  return ProcessRole::other;
}

std::set<int> family_of(int process, const std::vector<TaskCounters>& all) {
  std::set<int> family{process};
  // Children mostly have higher numbers than their parents, but not after the numbers wrapped around.
  for (bool grew = true; grew;) {
    grew = false;
    for (const TaskCounters& task : all) {
      if (family.contains(task.parent) && family.insert(task.id).second) grew = true;
    }
  }
  return family;
}

}  // namespace nasdiag::observe
