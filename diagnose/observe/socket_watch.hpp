#pragma once

// The TCP connections of the mount and our own, to the servers that the facts name.

#include <diagnose/evidence/facts.hpp>
#include <diagnose/evidence/observation.hpp>
#include <diagnose/observe/processes.hpp>
#include <diagnose/observe/socket_diag.hpp>
#include <diagnose/observe/socket_ledger.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nasdiag::observe {

class SocketWatch {
 public:
  SocketWatch(const std::filesystem::path& root, const evidence::Facts& facts);

  void start(Seconds at);
  // Looks for connections, and reads those it found. Costs milliseconds on some hosts.
  void read_all(Seconds at, const std::set<int>& own, const std::set<int>& of_mount);
  // Reads the known ones again, and looks for new ones when that is due.
  void read(Seconds at, const std::set<int>& own, const std::set<int>& of_mount);
  void describe(Seconds at, evidence::Observation& observation) const;

 private:
  struct Owners {
    std::set<std::uint32_t> own, mount;  // inodes
  };
  void look_for_connections(Seconds at, Families families, const std::set<int>& own,
                            const std::set<int>& of_mount);
  void record(Seconds at, const SocketState& socket, const Owners& owners);
  Owners owners(const std::set<int>& own, const std::set<int>& of_mount) const;
  std::optional<SocketGroup> group_of(const SocketState& socket, const Owners& owners) const;
  bool is_mounts_port(const SocketState& socket) const;

  std::optional<SocketDiag> diag_;
  ProcessReader processes_;
  std::vector<std::string> addresses_;
  std::set<std::uint16_t> mount_ports_;  // of a mount that the kernel serves
  std::set<std::uint64_t> strangers_;    // cookies of sockets that belong to neither
  std::vector<SocketState> known_;
  Seconds looked_at_{0}, look_pause_{0};
  SocketLedger ledger_;
  std::string refusal_;  // why the kernel couldn't be asked
};

}  // namespace nasdiag::observe
