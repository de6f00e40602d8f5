#include <diagnose/observe/clock.hpp>
#include <diagnose/observe/socket_watch.hpp>

#include <algorithm>
#include <system_error>

namespace nasdiag::observe {

namespace {

constexpr std::uint16_t nfs_port = 2049, smb_port = 445;
constexpr std::size_t most_strangers = 10000;

// Looking through the kernel's table may take this much of one core; it is done less often where it is large.
constexpr double look_budget = 0.002;
constexpr Seconds least_look_pause{0.4};

}  // namespace

SocketWatch::SocketWatch(const std::filesystem::path& root, const evidence::Facts& facts) : processes_(root) {
  try {
    if (root == "/") diag_.emplace();
  } catch (const std::system_error& error) {
    refusal_ = error.what();
  }
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

void SocketWatch::record(Seconds at, const SocketState& socket, const Owners& who) {
  if (strangers_.contains(socket.cookie)) return;
  const auto group = group_of(socket, who);
  if (!group) {
    if (strangers_.size() < most_strangers) strangers_.insert(socket.cookie);
    return;
  }
  const bool kernel_owned = *group == SocketGroup::mount && !who.mount.contains(socket.inode);
  ledger_.record(at, *group, kernel_owned, socket);
  known_.push_back(socket);
}

void SocketWatch::look_for_connections(Seconds at, Families families, const std::set<int>& own,
                                       const std::set<int>& of_mount) {
  const Seconds before = thread_time();
  const Owners who = owners(own, of_mount);
  known_.clear();
  for (const std::string& address : addresses_) {
    for (const SocketState& socket : diag_->connections_to(address, families)) record(at, socket, who);
  }
  looked_at_ = at;
  look_pause_ = std::max(least_look_pause, (thread_time() - before) / look_budget);
}

void SocketWatch::read_all(Seconds at, const std::set<int>& own, const std::set<int>& of_mount) {
  if (!diag_) return;
  try {
    look_for_connections(at, Families::both, own, of_mount);
  } catch (const std::system_error& error) {
    refusal_ = error.what();
    diag_.reset();
  }
}

void SocketWatch::read(Seconds at, const std::set<int>& own, const std::set<int>& of_mount) {
  if (!diag_) return;
  if (at - looked_at_ >= look_pause_) {
    read_all(at, own, of_mount);
    return;
  }
  for (const SocketState& socket : known_) {
    const auto now = diag_->read_again(socket);
    if (now) ledger_.record_again(at, *now);
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
