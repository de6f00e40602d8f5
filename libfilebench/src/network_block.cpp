// Local file systems on block devices that are reached over a network: iSCSI, NBD, NVMe over TCP.

#include "mount_system.hpp"
#include "text.hpp"

#include <algorithm>
#include <system_error>

namespace nasdiag::filebench {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string line_of(const fs::path& file) { return std::string(trimmed(read_text(file))); }

std::optional<std::uint16_t> port_of(std::string_view text) {
  const auto value = number(text);
  return value && *value > 0 && *value < 65536 ? std::optional(static_cast<std::uint16_t>(*value))
                                               : std::nullopt;
}

// The session's number N is in the device's path: …/session3/target…; its connections are called
// connection3:0.
std::optional<NetworkBlock> iscsi(const fs::path& root, const fs::path& disk) {
  std::error_code error;
  const std::string device = fs::canonical(disk / "device", error).string();
  const std::size_t at = device.find("/session");
  if (error || at == std::string::npos) return std::nullopt;
  const std::string session = device.substr(at + 8, device.find('/', at + 1) - at - 8);
  const fs::path connection = root / "sys/class/iscsi_connection" / ("connection" + session + ":0");
  return NetworkBlock{
      .transport = "iscsi",
      .address = line_of(connection / "address"),
      .port = port_of(line_of(connection / "port")),
      .target = line_of(root / "sys/class/iscsi_session" / ("session" + session) / "targetname")};
}

// address: "traddr=192.0.2.5,trsvcid=4420,…".
std::optional<NetworkBlock> nvme_tcp(const fs::path& root, const std::string& name) {
  if (!name.starts_with("nvme")) return std::nullopt;
  const fs::path controller = root / "sys/class/nvme" / name.substr(0, name.find('n', 1));
  if (line_of(controller / "transport") != "tcp") return std::nullopt;
  NetworkBlock block{
      .transport = "nvme-tcp", .address = {}, .port = {}, .target = line_of(controller / "subsysnqn")};
  const std::string address = line_of(controller / "address");
  for (const std::string_view pair : split(address, ',')) {
    if (pair.starts_with("traddr=")) block.address = pair.substr(7);
    if (pair.starts_with("trsvcid=")) block.port = port_of(pair.substr(8));
  }
  return block;
}

std::optional<NetworkBlock> of_disk(const fs::path& root, const fs::path& disk) {
  std::error_code error;
  const std::string name = disk.filename().string();
  if (name.starts_with("nbd") && fs::exists(disk / "pid", error))
    return NetworkBlock{.transport = "nbd", .address = {}, .port = {}, .target = name};
  if (auto block = nvme_tcp(root, name)) return block;
  return iscsi(root, disk);
}

std::optional<NetworkBlock> search(const fs::path& root, const fs::path& device, int depth) {
  if (depth > 8) return std::nullopt;
  std::error_code error;
  for (const fs::path& slave : entries_of(device / "slaves")) {
    const fs::path below = fs::canonical(slave, error);
    if (auto block = error ? std::nullopt : search(root, below, depth + 1)) return block;
  }
  const bool partition = fs::exists(device / "partition", error);
  return of_disk(root, partition ? device.parent_path() : device);
}

}  // namespace

std::optional<NetworkBlock> network_block_behind(const fs::path& root, const std::string& device) {
  std::error_code error;
  const fs::path folder = fs::canonical(root / "sys/dev/block" / device, error);
  return error ? std::nullopt : search(root, folder, 0);
}

}  // namespace nasdiag::filebench
