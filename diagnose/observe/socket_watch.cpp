#include <diagnose/observe/socket_diag.hpp>
#include <diagnose/observe/socket_watch.hpp>

#include <algorithm>
#include <system_error>

namespace nasdiag::observe {

namespace {

constexpr std::uint16_t nfs_port = 2049, smb_port = 445;
constexpr std::size_t most_strangers = 10000;

}  // namespace

SocketWatch::SocketWatch(const std::filesystem::path& root, const evidence::Facts& facts)
    : ask_kernel_(root == "/"), processes_(root) {
  for (const auto* route : {&facts.route, &facts.mount_route}) {
    if (!*route) continue;
    const std::string& address = (*route)->address;
    if (std::find(addresses_.begin(), addresses_.end(), address) == addresses_.end())
      addresses_.push_back(address);
  }
  if (!facts.mount) return;
  using filebench::MountKind;
  if (facts.mount->kind == MountKind::nfs) mount_ports_.insert(facts.mount->port.value_or(nfs_port));
  if (facts.mount->kind == MountKind::cifs) mount_ports_.insert(facts.mount->port.value_or(smb_port));
}

void SocketWatch::start(Seconds at) {
  ledger_.start(at);
  strangers_.clear();
}

SocketWatch::Owners SocketWatch::owners(const std::set<int>& own, const std::set<int>& of_mount) const {
  Owners owners;
  for (const int process : own) owners.own.merge(processes_.socket_inodes(process));
  for (const int process : of_mount) owners.mount.merge(processes_.socket_inodes(process));
  return owners;
}

bool SocketWatch::is_mounts_port(const SocketState& socket) const {
  return mount_ports_.contains(socket.peer_port);
}

std::optional<SocketGroup> SocketWatch::group_of(const SocketState& socket, const Owners& owners) const {
  if (owners.own.contains(socket.inode)) return SocketGroup::own;
  if (owners.mount.contains(socket.inode) || is_mounts_port(socket)) return SocketGroup::mount;
  return std::nullopt;
}

void SocketWatch::read(Seconds at, const std::set<int>& own, const std::set<int>& of_mount) {
  if (!ask_kernel_ || !refusal_.empty()) return;
  std::optional<Owners> who;  // looked up only when an unknown socket turns up
  try {
    for (const std::string& address : addresses_) {
      for (const SocketState& socket : connections_to(address)) {
        if (strangers_.contains(socket.cookie)) continue;
        std::optional<SocketGroup> group = SocketGroup::own;  // what the ledger has once it keeps
        bool kernel_owned = false;
        if (!ledger_.knows(socket.cookie)) {
          if (!who) who = owners(own, of_mount);
          group = group_of(socket, *who);
          kernel_owned = group == SocketGroup::mount && !who->mount.contains(socket.inode);
        }
        if (group) {
          ledger_.record(at, *group, kernel_owned, socket);
        } else if (strangers_.size() < most_strangers) {
          strangers_.insert(socket.cookie);
        }
      }
    }
  } catch (const std::system_error& error) {
    refusal_ = error.what();
  }
}

void SocketWatch::describe(Seconds at, evidence::Observation& observation) const {
  observation.sockets = ledger_.activity(at);
  if (refusal_.empty()) return;
  observation.notes.push_back({.code = "sockets-unread",
                               .severity = measure::Severity::info,
                               .text = "the connections' state is unknown: " + refusal_});
}

}  // namespace nasdiag::observe
