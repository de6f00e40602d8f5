#include "diagnose/formats/hand_figures.hpp"

#include <diagnose/facts/link_payload.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace nasdiag::formats {

namespace {

using evidence::Evidence;
using evidence::ExperimentKind;
using evidence::NicKind;
using filebench::MountKind;
using measure::DataRate;
using measure::Direction;

constexpr const char* kOrigin = "typed by hand";
constexpr const char* kInterface = "the network interface";

struct KindName {
  std::string_view begin;
  MountKind kind;
};
constexpr std::array kKindNames{
    KindName{"nfs", MountKind::nfs},           KindName{"smb-userspace", MountKind::smbnetfs},
    KindName{"smb", MountKind::cifs},          KindName{"cifs", MountKind::cifs},
    KindName{"gvfs", MountKind::gvfs},         KindName{"kio", MountKind::kio},
    KindName{"sshfs", MountKind::sshfs},       KindName{"rclone", MountKind::rclone},
    KindName{"davfs", MountKind::davfs},       KindName{"encfs", MountKind::layered},
    KindName{"gocryptfs", MountKind::layered}, KindName{"fuse", MountKind::other_fuse},
    KindName{"local", MountKind::local},       KindName{"rsync", MountKind::local},
    KindName{"scp", MountKind::local},         KindName{"sftp", MountKind::local}};

std::optional<MountKind> kind_of(const std::string& name) {
  for (const KindName& known : kKindNames)
    if (name.starts_with(known.begin)) return known.kind;
  return std::nullopt;
}

evidence::Nic nic_of(const HandFigures& figures) {
  evidence::Nic nic{.name = kInterface, .kind = figures.way == "wifi" ? NicKind::wifi : NicKind::ethernet};
  if (nic.kind == NicKind::ethernet) nic.speed = figures.link;
  nic.mtu = figures.mtu;
  nic.state = "up";
  if (figures.usb_nic) nic.usb = evidence::UsbBus{.speed = {}, .version = {}, .product = "USB adapter"};
  return nic;
}

// What is told goes into the route that other input may have given already.
evidence::RouteFacts route_of(const HandFigures& figures, evidence::RouteFacts route) {
  if (figures.way == "routed" && !route.gateway) route.gateway = "";
  route.tunnel = route.tunnel || figures.way == "vpn";
  route.wifi = route.wifi || figures.way == "wifi";
  if (route.stack.empty()) {
    route.interface = kInterface;
    route.stack = {kInterface};
  }
  return route;
}

std::optional<measure::ByteCount> size_option(const filebench::Mount& mount, std::string_view name) {
  const std::string* value = mount.option(name);
  return value != nullptr ? measure::parse_byte_count(*value) : std::nullopt;
}

// "rsize=wsize=1M, timeo=7" and "rw; then nconnect=8": words, each an option with or without a value. What
// follows "then" or "export" is no option of this mount.
void add_options(std::string words, filebench::Mount& mount) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  for (const char* end : {"then", "export"})
    if (words.find(end) != std::string::npos) words.erase(words.find(end));
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const auto equals = word.rfind('=');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    std::istringstream names(word.substr(0, equals));
    for (std::string name; std::getline(names, name, '=');) mount.options.push_back({name, value});
  }
  if (mount.kind == MountKind::nfs && mount.option("proto") == nullptr)
    mount.options.push_back({"proto", mount.option("udp") != nullptr ? "udp" : "tcp"});
  mount.read_request_size = size_option(mount, "rsize");
  mount.write_request_size = size_option(mount, "wsize");
  if (const auto connections = size_option(mount, "nconnect"))
    mount.connections = static_cast<int>(connections->bytes());
  if (mount.option("seal") != nullptr) mount.encrypted = true;
  if (mount.option("sign") != nullptr) mount.is_signed = true;
}

std::optional<filebench::Mount> mount_of(const HandFigures& figures) {
  const auto kind = kind_of(figures.mount_kind);
  // A program's own protocol is no mount, but it tells who moves the data.
  if (!kind || figures.mount_kind == "local") return std::nullopt;
  filebench::Mount mount;
  mount.protocol = figures.mount_kind;
  mount.kind = *kind;
  add_options(figures.mount_options, mount);
  mount.suspicious = filebench::judge_options(mount);
  return mount;
}

netbench::TcpResult tcp_result(Direction direction, int streams, DataRate rate) {
  netbench::TcpResult result;
  result.options.streams = streams;
  result.complete = true;
  netbench::DirectionResult flow;
  flow.direction = direction;
  flow.throughput = rate;
  result.directions = {flow};
  return result;
}

diskbench::DiskResult disk_result(DataRate rate, bool written) {
  diskbench::DiskResult result;
  diskbench::DirectionResult figures;
  figures.throughput = figures.burst = rate;
  (written ? result.write : result.read) = figures;
  return result;
}

filebench::TransferResult copy_result(DataRate rate, Direction direction) {
  filebench::TransferResult result;
  result.kind = direction == Direction::write ? filebench::TransferKind::copy_to_mount
                                              : filebench::TransferKind::copy_from_mount;
  result.direction = direction;
  result.outcome = filebench::Outcome::ok;
  result.rate = rate;
  return result;
}

class Adder {
 public:
  Adder(Evidence& evidence, Direction direction) : evidence_(evidence), direction_(direction) {}

  void add(ExperimentKind kind, evidence::ExperimentResult result) {
    if (evidence_.find(kind, direction_) == nullptr || kind == ExperimentKind::tcp_window)
      evidence_.experiments.push_back({.kind = kind,
                                       .direction = direction_,
                                       .outcome = evidence::Outcome::ok,
                                       .origin = kOrigin,
                                       .result = std::move(result)});
  }

 private:
  Evidence& evidence_;
  Direction direction_;
};

void add_way(const HandFigures& figures, Direction direction, Evidence& evidence) {
  constexpr int kUsualStreams = 4;
  const HandFigures::Way& way = figures.of(direction);
  const bool writes = direction == Direction::write;
  Adder adder(evidence, direction);
  if (way.tcp_one_stream) {
    netbench::TcpResult result = tcp_result(direction, 1, *way.tcp_one_stream);
    result.directions.front().retransmits = figures.retransmits;
    adder.add(ExperimentKind::tcp_one_stream, std::move(result));
  }
  if (way.tcp_more_streams)
    adder.add(ExperimentKind::tcp_four_streams,
              tcp_result(direction, figures.streams.value_or(kUsualStreams), *way.tcp_more_streams));
  if (way.client_disk) adder.add(ExperimentKind::client_disk, disk_result(*way.client_disk, !writes));
  if (way.nas_disk) adder.add(ExperimentKind::nas_disk, disk_result(*way.nas_disk, writes));
  if (way.file) adder.add(ExperimentKind::copy, copy_result(*way.file, direction));
}

// The best of the windows also stands for one stream, where that wasn't measured without one.
void add_windows(const HandFigures& figures, Evidence& evidence) {
  Adder adder(evidence, Direction::write);
  DataRate best;
  for (const auto& [window, rate] : figures.windows) {
    netbench::TcpResult result = tcp_result(Direction::write, 1, rate);
    result.send_buffer = window;
    adder.add(ExperimentKind::tcp_window, std::move(result));
    best = std::max(best, rate);
  }
  if (best > DataRate()) adder.add(ExperimentKind::tcp_one_stream, tcp_result(Direction::write, 1, best));
}

template <class T>
void take(const std::optional<T>& from, std::optional<T>& to) {
  if (!to) to = from;
}

void add_facts(const HandFigures& figures, Evidence& evidence) {
  evidence::Facts& facts = evidence.facts;
  const bool network_told = figures.link || figures.mtu || !figures.way.empty() || figures.usb_nic;
  if (network_told) {
    facts.route = route_of(figures, facts.route.value_or(evidence::RouteFacts{}));
    if (facts.nics.empty()) facts.nics.push_back(nic_of(figures));
  }
  if (!evidence.link.rate && facts.route) evidence.link = facts::route_payload(*facts.route, facts.nics);
  if (!facts.mount) {
    facts.mount = mount_of(figures);
    if (facts.mount) facts.mount_route = facts.route;
  }
  take(figures.told.nas_busiest_core, evidence.told.nas_busiest_core);
  take(figures.told.client_busiest_core, evidence.told.client_busiest_core);
  take(figures.told.nas_commit, evidence.told.nas_commit);
  take(figures.told.round_trip, evidence.told.round_trip);
  take(figures.told.small_files, evidence.told.small_files);
}

}  // namespace

bool is_mount_kind(const std::string& kind) { return kind_of(kind).has_value(); }

void add_hand_figures(const HandFigures& figures, Evidence& evidence) {
  add_facts(figures, evidence);
  add_way(figures, Direction::write, evidence);
  add_way(figures, Direction::read, evidence);
  add_windows(figures, evidence);
}

}  // namespace nasdiag::formats
