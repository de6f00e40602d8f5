#include <measure/scratch_folder.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <system_error>

namespace nasdiag::measure {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".nasdiag-";
constexpr std::size_t kRandomLength = 12;
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr const char* kOwnerFile = "owner";

std::string random_name() {
  std::random_device device;
  std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
  std::string name(kPrefix);
  for (std::size_t i = 0; i < kRandomLength; ++i) name += kAlphabet[letter(device)];
  return name;
}

bool is_scratch_name(std::string_view name) {
  return name.size() == kPrefix.size() + kRandomLength && name.starts_with(kPrefix) &&
         name.find_first_not_of(kAlphabet, kPrefix.size()) == std::string_view::npos;
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line.substr(0, 128);
}

std::string link_target(const fs::path& link) {
  std::error_code error;
  return fs::read_symlink(link, error).string();
}

// Clock ticks from boot to the start of a process: with the pid, a process's identity within one boot.
std::string start_time_of(long pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream whole;
  whole << in.rdbuf();
  const std::string text = whole.str();
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;  // the 20th after the name is field 22, starttime
  return field;
}

struct Owner {
  std::string machine;
  std::string boot;
  std::string pid_namespace;  // a process of another container can't be seen, so it counts as living
  long pid = 0;
  std::string start_time;
};

Owner this_process() {
  return {.machine = first_line("/etc/machine-id"),
          .boot = first_line("/proc/sys/kernel/random/boot_id"),
          .pid_namespace = link_target("/proc/self/ns/pid"),
          .pid = ::getpid(),
          .start_time = start_time_of(::getpid())};
}

void write_owner(const fs::path& folder, const Owner& owner) {
  std::ofstream out(folder / kOwnerFile);
  out << "machine " << owner.machine << "\nboot " << owner.boot << "\nnamespace " << owner.pid_namespace
      << "\npid " << owner.pid << "\nstart " << owner.start_time << '\n';
  out.flush();
  if (!out)
    throw std::system_error(errno, std::generic_category(), "writing " + (folder / kOwnerFile).string());
}

// "key value" lines; a value may be empty.
std::optional<Owner> read_owner(const fs::path& folder) {
  constexpr int kLines = 5;
  const fs::path file = folder / kOwnerFile;
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular) return std::nullopt;
  std::ifstream in(file);
  Owner owner;
  std::string line;
  for (int i = 0; i < kLines && std::getline(in, line); ++i) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, space);
    const std::string value = line.substr(std::min(space + 1, line.size()));
    if (key == "machine") owner.machine = value;
    if (key == "boot") owner.boot = value;
    if (key == "namespace") owner.pid_namespace = value;
    if (key == "start") owner.start_time = value;
    if (key == "pid") std::from_chars(value.data(), value.data() + value.size(), owner.pid);
  }
  if (owner.boot.empty() || owner.pid <= 0) return std::nullopt;
  return owner;
}

bool is_dead_process_of_this_machine(const Owner& owner) {
  const Owner self = this_process();
  if (owner.boot == self.boot)
    return owner.pid_namespace == self.pid_namespace && owner.pid != self.pid &&
           start_time_of(owner.pid) != owner.start_time;
  return !owner.machine.empty() && owner.machine == self.machine;  // an earlier boot of this machine
}

// Removes the folder, its owner file last: what couldn't be removed today is still known as a leftover.
std::error_code remove_folder(const fs::path& folder) {
  std::error_code error;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() == kOwnerFile) continue;
    std::error_code kept;
    fs::remove_all(entry->path(), kept);
    if (kept) failed = kept;
  }
  if (error || failed) return error ? error : failed;
  fs::remove_all(folder, failed);
  return failed;
}

bool is_ours(const fs::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const fs::path candidate = parent / random_name();
    if (::mkdir(candidate.c_str(), 0700) == 0) {
      path_ = candidate;
      break;
    }
    if (errno != EEXIST)
      throw std::system_error(errno, std::generic_category(),
                              "making a temporary folder in " + parent.string());
  }
  if (path_.empty())
    throw std::system_error(EEXIST, std::generic_category(),
                            "making a temporary folder in " + parent.string());
  try {
    write_owner(path_, this_process());
  } catch (...) {
    remove_folder(path_);
    throw;
  }
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_folder(path_);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

std::size_t remove_stale_scratch_folders(const fs::path& parent) noexcept try {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& folder = entry->path();
    if (!is_scratch_name(folder.filename().string()) || !is_ours(folder)) continue;
    const auto owner = read_owner(folder);
    if (!owner || !is_dead_process_of_this_machine(*owner)) continue;
    if (!remove_folder(folder)) ++removed;
  }
  return removed;
} catch (...) {
  return 0;
}

ByteCount writable_within_reserve(ByteCount size, ByteCount available) {
  const ByteCount share = ByteCount::bytes(size.bytes() / 20);
  const ByteCount reserve = std::min(std::max(share, ByteCount::mebibytes(256)), ByteCount::gibibytes(10));
  constexpr ByteCount kUseful = ByteCount::mebibytes(64);
  const ByteCount quarter = available < kUseful ? ByteCount() : ByteCount::bytes(available.bytes() / 4);
  return std::max({ByteCount(), available - reserve, quarter});
}

std::optional<ByteCount> writable_space(const fs::path& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return std::nullopt;
  const auto unit = static_cast<std::int64_t>(status.f_frsize);
  return writable_within_reserve(ByteCount::bytes(static_cast<std::int64_t>(status.f_blocks) * unit),
                                 ByteCount::bytes(static_cast<std::int64_t>(status.f_bavail) * unit));
}

}  // namespace nasdiag::measure
