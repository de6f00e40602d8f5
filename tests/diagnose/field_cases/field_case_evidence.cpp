#include "field_case.hpp"

#include <diagnose/facts/link_payload.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace nasdiag::test {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using evidence::NicKind;
using filebench::MountKind;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;

constexpr Seconds kUsualRun{10};
constexpr const char* kInterface = "eth0";

DataRate rate_of_megabytes(double megabytes) { return DataRate::megabytes_per_second(megabytes); }

bool is_ethernet_speed(double megabits) {
  constexpr std::array kSpeeds{10.0, 100.0, 1000.0, 2500.0, 5000.0, 10000.0, 25000.0, 40000.0, 100000.0};
  return std::find(kSpeeds.begin(), kSpeeds.end(), megabits) != kSpeeds.end();
}

evidence::Nic nic_of(const FieldCase& field_case) {
  evidence::Nic nic{.name = kInterface, .kind = field_case.way == "wifi" ? NicKind::wifi : NicKind::ethernet};
  if (nic.kind == NicKind::ethernet && field_case.link_mbit && is_ethernet_speed(*field_case.link_mbit))
    nic.speed = DataRate::megabits_per_second(*field_case.link_mbit);
  nic.mtu = field_case.mtu;
  nic.state = "up";
  if (field_case.adapter.find("USB") != std::string::npos)
    nic.usb = evidence::UsbBus{.speed = {}, .version = {}, .product = field_case.adapter};
  return nic;
}

evidence::RouteFacts route_of(const FieldCase& field_case) {
  evidence::RouteFacts route{.server = "nas", .address = "192.0.2.9", .interface = kInterface};
  if (field_case.way == "routed") route.gateway = "192.0.2.1";
  route.tunnel = field_case.way == "vpn";
  route.wifi = field_case.way == "wifi";
  route.stack = {kInterface};
  return route;
}

MountKind kind_of(const std::string& protocol) {
  if (protocol.starts_with("nfs")) return MountKind::nfs;
  if (protocol.starts_with("gvfs")) return MountKind::gvfs;
  if (protocol.starts_with("kio")) return MountKind::kio;
  if (protocol.starts_with("encfs")) return MountKind::layered;
  if (protocol == "sshfs") return MountKind::sshfs;
  if (protocol == "smb" || protocol == "cifs") return MountKind::cifs;
  return MountKind::local;
}

std::optional<measure::ByteCount> size_option(const filebench::Mount& mount, std::string_view name) {
  const std::string* value = mount.option(name);
  return value != nullptr ? measure::parse_byte_count(*value) : std::nullopt;
}

// "rsize=wsize=1M, timeo=7" and "rw; then nconnect=8": words, each an option with or without a value.
void add_options(std::string words, filebench::Mount& mount) {
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  if (words.find("then") != std::string::npos) words.erase(words.find("then"));
  if (words.find("export") != std::string::npos) words.erase(words.find("export"));
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const auto equals = word.rfind('=');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    std::istringstream names(word.substr(0, equals));
    for (std::string name; std::getline(names, name, '=');) mount.options.push_back({name, value});
  }
  mount.read_request_size = size_option(mount, "rsize");
  mount.write_request_size = size_option(mount, "wsize");
}

std::optional<filebench::Mount> mount_of(const FieldCase& field_case) {
  if (field_case.protocols.empty() || kind_of(field_case.protocols.front()) == MountKind::local)
    return std::nullopt;
  filebench::Mount mount;
  mount.protocol = field_case.protocols.front();
  mount.kind = kind_of(mount.protocol);
  mount.server = "nas";
  mount.address = "192.0.2.9";
  mount.mount_point = "/mnt/nas";
  add_options(field_case.mount_options, mount);
  return mount;
}

netbench::TcpResult tcp_result(const FieldCase& field_case, Direction direction, int streams,
                               double megabits) {
  netbench::TcpResult result;
  result.options.streams = streams;
  result.duration = kUsualRun;
  result.complete = true;
  netbench::DirectionResult figures;
  figures.direction = direction;
  figures.throughput = DataRate::megabits_per_second(megabits);
  figures.received = figures.sent = figures.throughput * kUsualRun;
  figures.receiver_time = figures.sender_time = kUsualRun;
  if (field_case.retransmits) figures.retransmits = static_cast<std::int64_t>(*field_case.retransmits);
  result.directions = {figures};
  return result;
}

diskbench::DiskResult disk_result(double megabytes, bool reads) {
  diskbench::DiskResult result;
  result.window = kUsualRun;
  diskbench::DirectionResult figures;
  figures.throughput = figures.burst = rate_of_megabytes(megabytes);
  figures.bytes = figures.throughput * kUsualRun;
  (reads ? result.read : result.write) = figures;
  return result;
}

filebench::TransferResult copy_result(double megabytes, Direction direction) {
  filebench::TransferResult result;
  result.kind = direction == Direction::write ? filebench::TransferKind::copy_to_mount
                                              : filebench::TransferKind::copy_from_mount;
  result.direction = direction;
  result.outcome = filebench::Outcome::ok;
  result.window = kUsualRun;
  result.rate = rate_of_megabytes(megabytes);
  result.amount = result.rate * kUsualRun;
  result.piece_size = measure::ByteCount::kibibytes(128);
  result.cache = direction == Direction::read ? filebench::CacheState::cold : filebench::CacheState::unknown;
  return result;
}

void add_experiments(const FieldCase& field_case, Direction direction, Evidence& evidence) {
  const auto add = [&](ExperimentKind kind, evidence::ExperimentResult result) {
    evidence.experiments.push_back({.kind = kind,
                                    .direction = direction,
                                    .outcome = evidence::Outcome::ok,
                                    .took = kUsualRun,
                                    .result = std::move(result)});
  };
  const ReportedFigures& figures = field_case.of(direction);
  if (figures.tcp_one_stream_mbit)
    add(ExperimentKind::tcp_one_stream, tcp_result(field_case, direction, 1, *figures.tcp_one_stream_mbit));
  if (figures.tcp_more_streams_mbit)
    add(ExperimentKind::tcp_four_streams,
        tcp_result(field_case, direction, field_case.streams.value_or(4), *figures.tcp_more_streams_mbit));
  if (figures.client_disk_mbyte)
    add(ExperimentKind::client_disk, disk_result(*figures.client_disk_mbyte, direction == Direction::write));
  if (figures.file_mbyte) add(ExperimentKind::copy, copy_result(*figures.file_mbyte, direction));
}

}  // namespace

Evidence evidence_of(const FieldCase& field_case) {
  Evidence evidence;
  evidence.label = field_case.id;
  evidence.settings.server = "nas";
  evidence.settings.mount_folder = "/mnt/nas";
  evidence.facts.nics = {nic_of(field_case)};
  evidence.facts.route = route_of(field_case);
  evidence.facts.mount = mount_of(field_case);
  if (evidence.facts.mount) evidence.facts.mount_route = evidence.facts.route;
  evidence.link = facts::route_payload(*evidence.facts.route, evidence.facts.nics);
  for (const Direction direction : {Direction::write, Direction::read})
    add_experiments(field_case, direction, evidence);
  return evidence;
}

}  // namespace nasdiag::test
