#include "diagnose/report/file_json.hpp"

#include "diagnose/report/file_counters_json.hpp"
#include "diagnose/report/measure_json.hpp"

#include <array>

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using filebench::Mount;
using filebench::MountKind;
using filebench::TransferKind;
using filebench::TransferResult;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;
using report::to_json;  // NOLINT(misc-unused-using-decls): those below would hide the shared ones

constexpr std::array kTransferKinds{TransferKind::write_from_memory, TransferKind::read_back,
                                    TransferKind::read_warm,         TransferKind::read_user_file,
                                    TransferKind::read_again,        TransferKind::copy_to_mount,
                                    TransferKind::copy_from_mount};
constexpr std::array kOutcomes{filebench::Outcome::skipped, filebench::Outcome::ok,
                               filebench::Outcome::failed, filebench::Outcome::hung,
                               filebench::Outcome::stopped};
constexpr std::array kCacheStates{filebench::CacheState::unknown, filebench::CacheState::cold,
                                  filebench::CacheState::server_warm, filebench::CacheState::warm};
constexpr std::array kCacheChecks{filebench::CacheCheck::none, filebench::CacheCheck::page_residency,
                                  filebench::CacheCheck::wire_bytes,
                                  filebench::CacheCheck::fresh_pages_dropped};
constexpr std::array kCopyModes{filebench::CopyMode::as_cp, filebench::CopyMode::overlapped};
constexpr std::array kReadPaths{filebench::ReadPath::buffered, filebench::ReadPath::direct};
constexpr std::array kHashVerdicts{filebench::HashVerdict::nothing_to_compare, filebench::HashVerdict::match,
                                   filebench::HashVerdict::mismatch};
constexpr std::array kHashKinds{filebench::HashKind::xxh3, filebench::HashKind::sha1,
                                filebench::HashKind::sha256};
constexpr std::array kMountKinds{MountKind::local,        MountKind::nfs,        MountKind::cifs,
                                 MountKind::gvfs,         MountKind::sshfs,      MountKind::rclone,
                                 MountKind::davfs,        MountKind::kio,        MountKind::smbnetfs,
                                 MountKind::object_store, MountKind::glusterfs,  MountKind::ceph,
                                 MountKind::plan9,        MountKind::virtiofs,   MountKind::network_block,
                                 MountKind::layered,      MountKind::other_fuse, MountKind::automount};

json::object to_json(const filebench::HashResult& hash) {
  json::object object{{"kind", to_string(hash.kind)},
                      {"verdict", to_string(hash.verdict)},
                      {"digest", hash.digest},
                      {"limits_read", hash.limits_read}};
  put(object, "ceiling", hash.ceiling);
  return object;
}

filebench::HashResult hash_from_json(const json::object& object) {
  return {.kind = enum_from(text_at(object, "kind").value_or(""), kHashKinds),
          .verdict = enum_from(text_at(object, "verdict").value_or(""), kHashVerdicts),
          .digest = text_at(object, "digest").value_or(""),
          .ceiling = rate_at(object, "ceiling"),
          .limits_read = bool_at(object, "limits_read").value_or(false)};
}

json::array to_json(const std::vector<filebench::RunFigure>& runs) {
  json::array array;
  for (const filebench::RunFigure& run : runs) {
    json::object object;
    put(object, "moved", run.amount);
    put(object, "window", run.window);
    put(object, "rate", run.rate);
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<filebench::RunFigure> runs_from_json(const json::array& array) {
  std::vector<filebench::RunFigure> runs;
  for (const json::value& value : array) {
    if (!value.is_object()) continue;
    const json::object& object = value.get_object();
    runs.push_back({.amount = bytes_at(object, "moved").value_or(ByteCount()),
                    .window = seconds_at(object, "window").value_or(Seconds(0)),
                    .rate = rate_at(object, "rate").value_or(DataRate())});
  }
  return runs;
}

}  // namespace

filebench::Outcome outcome_from_text(std::string_view text) { return enum_from(text, kOutcomes); }

json::object to_json(const TransferResult& result) {
  json::object object{
      {"kind", to_string(result.kind)},          {"direction", to_string(result.direction)},
      {"outcome", to_string(result.outcome)},    {"failure", result.failure},
      {"error_number", result.error_number},     {"files", result.files},
      {"cache", to_string(result.cache)},        {"cache_check", to_string(result.cache_check)},
      {"read_path", to_string(result.read_path)}};
  put(object, "moved", result.amount);
  put(object, "window", result.window);
  put(object, "rate", result.rate);
  put(object, "accepted_after", result.accepted_after);
  put(object, "flush_time", result.flush_time);
  put(object, "accepted_rate", result.accepted_rate);
  put(object, "piece_size", result.piece_size);
  if (result.copy_mode) object["copy_mode"] = to_string(*result.copy_mode);
  if (result.hash) object["hash"] = to_json(*result.hash);
  if (result.change_over_runs) object["change_over_runs"] = *result.change_over_runs;
  if (result.counters) object["counters"] = to_json(*result.counters);
  object["runs"] = to_json(result.runs);
  object["run_rates"] = to_json(result.run_rates);
  object["samples"] = to_json(result.samples);
  object["notes"] = to_json(result.notes);
  return object;
}

TransferResult transfer_result_from_json(const json::object& object) {
  TransferResult result;
  result.kind = enum_from(text_at(object, "kind").value_or(""), kTransferKinds);
  result.direction =
      direction_from_text(text_at(object, "direction").value_or("")).value_or(measure::Direction::write);
  result.outcome = outcome_from_text(text_at(object, "outcome").value_or(""));
  result.failure = text_at(object, "failure").value_or("");
  result.error_number = static_cast<int>(integer_at(object, "error_number").value_or(0));
  result.amount = bytes_at(object, "moved").value_or(ByteCount());
  result.window = seconds_at(object, "window").value_or(Seconds(0));
  result.rate = rate_at(object, "rate").value_or(DataRate());
  result.accepted_after = seconds_at(object, "accepted_after");
  result.flush_time = seconds_at(object, "flush_time");
  result.accepted_rate = rate_at(object, "accepted_rate");
  result.piece_size = bytes_at(object, "piece_size").value_or(ByteCount());
  result.files = static_cast<std::size_t>(integer_at(object, "files").value_or(1));
  result.cache = enum_from(text_at(object, "cache").value_or(""), kCacheStates);
  result.cache_check = enum_from(text_at(object, "cache_check").value_or(""), kCacheChecks);
  result.read_path = enum_from(text_at(object, "read_path").value_or(""), kReadPaths);
  if (const auto mode = text_at(object, "copy_mode")) result.copy_mode = enum_from(*mode, kCopyModes);
  result.change_over_runs = number_at(object, "change_over_runs");
  if (has_object(object, "counters"))
    result.counters = mount_counters_from_json(object_at(object, "counters"));
  if (has_object(object, "hash")) result.hash = hash_from_json(object_at(object, "hash"));
  result.runs = runs_from_json(array_at(object, "runs"));
  result.run_rates = summary_from_json(object_at(object, "run_rates"));
  result.samples = series_from_json(array_at(object, "samples"));
  result.notes = notes_from_json(array_at(object, "notes"));
  return result;
}

json::object to_json(const Mount& mount) {
  json::object object{{"kind", to_string(mount.kind)},
                      {"protocol", mount.protocol},
                      {"type", mount.type},
                      {"source", mount.source},
                      {"mount_point", mount.mount_point.string()},
                      {"server", mount.server},
                      {"address", mount.address},
                      {"share", mount.share},
                      {"read_only", mount.read_only},
                      {"connections", mount.connections},
                      {"root", mount.root},
                      {"device", mount.device},
                      {"id", mount.id},
                      {"parent_id", mount.parent_id},
                      {"user", mount.user}};
  if (mount.port) object["port"] = *mount.port;
  json::array shared;
  for (const std::string& place : mount.shares_counters_with) shared.push_back(json::value(place));
  object["shares_counters_with"] = std::move(shared);
  json::array processes;
  for (const filebench::MountProcess& process : mount.processes)
    processes.push_back(json::object{{"pid", process.pid}, {"name", process.name}});
  object["processes"] = std::move(processes);
  json::array options;
  for (const filebench::MountOption& option : mount.options)
    options.push_back(json::value(option.value.empty() ? option.name : option.name + "=" + option.value));
  object["options"] = std::move(options);
  put(object, "read_request_size", mount.read_request_size);
  put(object, "write_request_size", mount.write_request_size);
  put(object, "read_ahead", mount.read_ahead);
  if (mount.is_signed) object["signed"] = *mount.is_signed;
  if (mount.encrypted) object["encrypted"] = *mount.encrypted;
  object["suspicious"] = to_json(mount.suspicious);
  return object;
}

Mount mount_from_json(const json::object& object) {
  Mount mount;
  mount.kind = enum_from(text_at(object, "kind").value_or(""), kMountKinds);
  mount.protocol = text_at(object, "protocol").value_or("");
  mount.type = text_at(object, "type").value_or("");
  mount.source = text_at(object, "source").value_or("");
  mount.mount_point = text_at(object, "mount_point").value_or("");
  mount.server = text_at(object, "server").value_or("");
  mount.address = text_at(object, "address").value_or("");
  mount.share = text_at(object, "share").value_or("");
  mount.read_only = bool_at(object, "read_only").value_or(false);
  mount.connections = static_cast<int>(integer_at(object, "connections").value_or(1));
  mount.root = text_at(object, "root").value_or("");
  mount.device = text_at(object, "device").value_or("");
  mount.id = static_cast<int>(integer_at(object, "id").value_or(0));
  mount.parent_id = static_cast<int>(integer_at(object, "parent_id").value_or(0));
  mount.user = text_at(object, "user").value_or("");
  if (const auto port = integer_at(object, "port")) mount.port = static_cast<std::uint16_t>(*port);
  mount.shares_counters_with = texts_at(object, "shares_counters_with");
  for (const json::value& value : array_at(object, "processes"))
    if (value.is_object())
      mount.processes.push_back({.pid = static_cast<int>(integer_at(value.get_object(), "pid").value_or(0)),
                                 .name = text_at(value.get_object(), "name").value_or("")});
  for (const std::string& option : texts_at(object, "options")) {
    const auto equals = option.find('=');
    if (equals == std::string::npos)
      mount.options.push_back({option, ""});
    else
      mount.options.push_back({option.substr(0, equals), option.substr(equals + 1)});
  }
  mount.read_request_size = bytes_at(object, "read_request_size");
  mount.write_request_size = bytes_at(object, "write_request_size");
  mount.read_ahead = bytes_at(object, "read_ahead");
  mount.is_signed = bool_at(object, "signed");
  mount.encrypted = bool_at(object, "encrypted");
  mount.suspicious = notes_from_json(array_at(object, "suspicious"));
  return mount;
}

}  // namespace nasdiag::report
