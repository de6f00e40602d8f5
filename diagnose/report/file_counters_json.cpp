#include "diagnose/report/file_counters_json.hpp"

#include "diagnose/report/measure_json.hpp"

#include <chrono>

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using filebench::CifsCounters;
using filebench::InterfaceBytes;
using filebench::MountCounters;
using filebench::NfsCounters;
using filebench::NfsOperation;
using filebench::ProcessCpu;
using filebench::SmbCommand;
using measure::ByteCount;
using measure::Seconds;

std::int64_t count_at(const json::object& object, std::string_view key) {
  return integer_at(object, key).value_or(0);
}

ByteCount amount_at(const json::object& object, const std::string& key) {
  return bytes_at(object, key).value_or(ByteCount());
}

std::chrono::milliseconds milliseconds_at(const json::object& object, std::string_view key) {
  return std::chrono::milliseconds(count_at(object, key));
}

template <class T, class Convert>
std::vector<T> each_object(const json::array& array, Convert convert) {
  std::vector<T> values;
  for (const json::value& value : array)
    if (value.is_object()) values.push_back(convert(value.get_object()));
  return values;
}

json::object operation_json(const NfsOperation& operation) {
  json::object object{{"name", operation.name},
                      {"operations", operation.operations},
                      {"transmissions", operation.transmissions},
                      {"timeouts", operation.timeouts},
                      {"queue_ms", operation.queue.count()},
                      {"round_trip_ms", operation.round_trip.count()},
                      {"execute_ms", operation.execute.count()},
                      {"errors", operation.errors}};
  put(object, "sent", operation.sent);
  put(object, "received", operation.received);
  return object;
}

NfsOperation operation_from(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .operations = count_at(object, "operations"),
          .transmissions = count_at(object, "transmissions"),
          .timeouts = count_at(object, "timeouts"),
          .sent = amount_at(object, "sent"),
          .received = amount_at(object, "received"),
          .queue = milliseconds_at(object, "queue_ms"),
          .round_trip = milliseconds_at(object, "round_trip_ms"),
          .execute = milliseconds_at(object, "execute_ms"),
          .errors = count_at(object, "errors")};
}

json::object transport_json(const filebench::NfsTransport& transport) {
  return {{"protocol", transport.protocol},           {"connections", transport.connections},
          {"connects", transport.connects},           {"sends", transport.sends},
          {"receives", transport.receives},           {"bad_xids", transport.bad_xids},
          {"in_flight_sum", transport.in_flight_sum}, {"backlog_sum", transport.backlog_sum},
          {"max_slots", transport.max_slots}};
}

filebench::NfsTransport transport_from(const json::object& object) {
  return {.protocol = text_at(object, "protocol").value_or(""),
          .connections = count_at(object, "connections"),
          .connects = count_at(object, "connects"),
          .sends = count_at(object, "sends"),
          .receives = count_at(object, "receives"),
          .bad_xids = count_at(object, "bad_xids"),
          .in_flight_sum = count_at(object, "in_flight_sum"),
          .backlog_sum = count_at(object, "backlog_sum"),
          .max_slots = count_at(object, "max_slots")};
}

json::object nfs_json(const NfsCounters& nfs) {
  json::object object{{"data_invalidations", nfs.data_invalidations},
                      {"short_reads", nfs.short_reads},
                      {"short_writes", nfs.short_writes},
                      {"delays", nfs.delays}};
  put(object, "age", nfs.age);
  put(object, "read_by_programs", nfs.read_by_programs);
  put(object, "written_by_programs", nfs.written_by_programs);
  put(object, "direct_read", nfs.direct_read);
  put(object, "direct_written", nfs.direct_written);
  put(object, "read_from_server", nfs.read_from_server);
  put(object, "written_to_server", nfs.written_to_server);
  object["transport"] = transport_json(nfs.transport);
  json::array operations;
  for (const NfsOperation& operation : nfs.operations) operations.push_back(operation_json(operation));
  object["operations"] = std::move(operations);
  return object;
}

NfsCounters nfs_from(const json::object& object) {
  return {.age = seconds_at(object, "age").value_or(Seconds(0)),
          .read_by_programs = amount_at(object, "read_by_programs"),
          .written_by_programs = amount_at(object, "written_by_programs"),
          .direct_read = amount_at(object, "direct_read"),
          .direct_written = amount_at(object, "direct_written"),
          .read_from_server = amount_at(object, "read_from_server"),
          .written_to_server = amount_at(object, "written_to_server"),
          .data_invalidations = count_at(object, "data_invalidations"),
          .short_reads = count_at(object, "short_reads"),
          .short_writes = count_at(object, "short_writes"),
          .delays = count_at(object, "delays"),
          .transport = transport_from(object_at(object, "transport")),
          .operations = each_object<NfsOperation>(array_at(object, "operations"), operation_from)};
}

json::object cifs_json(const CifsCounters& cifs) {
  json::object object{{"requests", cifs.requests},
                      {"session_reconnects", cifs.session_reconnects},
                      {"share_reconnects", cifs.share_reconnects},
                      {"slow_responses", cifs.slow_responses},
                      {"max_in_flight", cifs.max_in_flight}};
  put(object, "read", cifs.read);
  put(object, "written", cifs.written);
  json::array commands;
  for (const SmbCommand& command : cifs.commands) {
    json::object entry{{"name", command.name}, {"number", command.number}};
    put(entry, "total_time", command.total_time);
    commands.push_back(std::move(entry));
  }
  object["commands"] = std::move(commands);
  return object;
}

CifsCounters cifs_from(const json::object& object) {
  return {.read = amount_at(object, "read"),
          .written = amount_at(object, "written"),
          .requests = count_at(object, "requests"),
          .session_reconnects = count_at(object, "session_reconnects"),
          .share_reconnects = count_at(object, "share_reconnects"),
          .slow_responses = count_at(object, "slow_responses"),
          .max_in_flight = count_at(object, "max_in_flight"),
          .commands = each_object<SmbCommand>(array_at(object, "commands"), [](const json::object& entry) {
            return SmbCommand{.name = text_at(entry, "name").value_or(""),
                              .number = count_at(entry, "number"),
                              .total_time = seconds_at(entry, "total_time").value_or(Seconds(0))};
          })};
}

json::object process_json(const ProcessCpu& process) {
  json::object object{{"pid", process.pid},
                      {"name", process.name},
                      {"cores", process.cores},
                      {"busiest_thread", process.busiest_thread}};
  put(object, "cpu", process.cpu);
  return object;
}

ProcessCpu process_from(const json::object& object) {
  return {.pid = static_cast<int>(count_at(object, "pid")),
          .name = text_at(object, "name").value_or(""),
          .cpu = seconds_at(object, "cpu").value_or(Seconds(0)),
          .cores = number_at(object, "cores").value_or(0),
          .busiest_thread = number_at(object, "busiest_thread").value_or(0)};
}

json::object interface_json(const InterfaceBytes& interface) {
  json::object object{{"name", interface.name}};
  put(object, "received", interface.received);
  put(object, "sent", interface.sent);
  object["hardware"] = interface.hardware;
  return object;
}

InterfaceBytes interface_from(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .received = amount_at(object, "received"),
          .sent = amount_at(object, "sent"),
          .hardware = bool_at(object, "hardware").value_or(false)};
}

}  // namespace

json::object to_json(const MountCounters& counters) {
  json::object object;
  put(object, "interval", counters.interval);
  if (counters.nfs) object["nfs"] = nfs_json(*counters.nfs);
  if (counters.cifs) object["cifs"] = cifs_json(*counters.cifs);
  json::array processes;
  for (const ProcessCpu& process : counters.processes) processes.push_back(process_json(process));
  object["processes"] = std::move(processes);
  json::array interfaces;
  for (const InterfaceBytes& interface : counters.interfaces) interfaces.push_back(interface_json(interface));
  object["interfaces"] = std::move(interfaces);
  return object;
}

MountCounters mount_counters_from_json(const json::object& object) {
  MountCounters counters;
  counters.interval = seconds_at(object, "interval").value_or(Seconds(0));
  if (has_object(object, "nfs")) counters.nfs = nfs_from(object_at(object, "nfs"));
  if (has_object(object, "cifs")) counters.cifs = cifs_from(object_at(object, "cifs"));
  counters.processes = each_object<ProcessCpu>(array_at(object, "processes"), process_from);
  counters.interfaces = each_object<InterfaceBytes>(array_at(object, "interfaces"), interface_from);
  return counters;
}

}  // namespace nasdiag::report
