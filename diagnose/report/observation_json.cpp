#include "diagnose/report/observation_json.hpp"

#include "diagnose/report/field_json.hpp"
#include "diagnose/report/file_counters_json.hpp"

namespace nasdiag::report {

namespace json = boost::json;
using evidence::Observation;
using measure::DataRate;
using measure::Seconds;

namespace {

DataRate rate_or_zero(const json::object& object, const char* key) {
  return rate_at(object, key).value_or(DataRate());
}
double share_at(const json::object& object, std::string_view key) {
  return number_at(object, key).value_or(0);
}
std::int64_t count_at(const json::object& object, std::string_view key) {
  return integer_at(object, key).value_or(0);
}

json::object core_to_json(const evidence::CoreLoad& core) {
  json::object object{{"core", core.core},     {"user", core.user},          {"system", core.system},
                      {"irq", core.irq},       {"softirq", core.softirq},    {"steal", core.steal},
                      {"iowait", core.iowait}, {"peak_busy", core.peak_busy}};
  set(object, "mhz", core.mhz);
  return object;
}

evidence::CoreLoad core_from_json(const json::object& object) {
  return {.core = whole_at(object, "core").value_or(0),
          .user = share_at(object, "user"),
          .system = share_at(object, "system"),
          .irq = share_at(object, "irq"),
          .softirq = share_at(object, "softirq"),
          .steal = share_at(object, "steal"),
          .iowait = share_at(object, "iowait"),
          .peak_busy = share_at(object, "peak_busy"),
          .mhz = number_at(object, "mhz")};
}

json::object thread_to_json(const evidence::ThreadLoad& thread) {
  return {
      {"thread", thread.thread}, {"name", thread.name}, {"cpu", thread.cpu}, {"peak_cpu", thread.peak_cpu}};
}

evidence::ThreadLoad thread_from_json(const json::object& object) {
  return {.thread = whole_at(object, "thread").value_or(0),
          .name = text_at(object, "name").value_or(""),
          .cpu = share_at(object, "cpu"),
          .peak_cpu = share_at(object, "peak_cpu")};
}

json::object process_to_json(const evidence::ProcessLoad& process) {
  json::object object{
      {"process", process.process},           {"name", process.name}, {"role", to_string(process.role)},
      {"serves_mount", process.serves_mount}, {"cpu", process.cpu},   {"system", process.system},
      {"peak_cpu", process.peak_cpu}};
  if (process.busiest_thread) object["busiest_thread"] = thread_to_json(*process.busiest_thread);
  return object;
}

evidence::ProcessLoad process_from_json(const json::object& object) {
  using enum evidence::ProcessRole;
  static constexpr evidence::ProcessRole roles[] = {own,         mount_daemon,  mount_transport,
                                                    file_server, kernel_worker, other};
  evidence::ProcessLoad process{.process = whole_at(object, "process").value_or(0),
                                .name = text_at(object, "name").value_or(""),
                                .role = named_at(object, "role", roles),
                                .serves_mount = bool_at(object, "serves_mount").value_or(false),
                                .cpu = share_at(object, "cpu"),
                                .system = share_at(object, "system"),
                                .peak_cpu = share_at(object, "peak_cpu")};
  if (has_object(object, "busiest_thread")) {
    process.busiest_thread = thread_from_json(object_at(object, "busiest_thread"));
  }
  return process;
}

json::object nic_to_json(const evidence::NicActivity& nic) {
  json::object object{{"name", nic.name}};
  put(object, "received", nic.received);
  put(object, "sent", nic.sent);
  put(object, "peak_received", nic.peak_received);
  put(object, "peak_sent", nic.peak_sent);
  object["packets_received_per_second"] = nic.packets_received;
  object["packets_sent_per_second"] = nic.packets_sent;
  object["errors"] = nic.errors;
  object["drops"] = nic.drops;
  object["crc_errors"] = nic.crc_errors;
  object["collisions"] = nic.collisions;
  object["carrier_changes"] = nic.carrier_changes;
  set(object, "pause_frames_received", nic.pause_frames_received);
  set(object, "pause_frames_sent", nic.pause_frames_sent);
  put(object, "speed", nic.speed);
  put(object, "payload", nic.payload);
  return object;
}

evidence::NicActivity nic_from_json(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .received = rate_or_zero(object, "received"),
          .sent = rate_or_zero(object, "sent"),
          .peak_received = rate_or_zero(object, "peak_received"),
          .peak_sent = rate_or_zero(object, "peak_sent"),
          .packets_received = share_at(object, "packets_received_per_second"),
          .packets_sent = share_at(object, "packets_sent_per_second"),
          .errors = count_at(object, "errors"),
          .drops = count_at(object, "drops"),
          .crc_errors = count_at(object, "crc_errors"),
          .collisions = count_at(object, "collisions"),
          .carrier_changes = count_at(object, "carrier_changes"),
          .pause_frames_received = integer_at(object, "pause_frames_received"),
          .pause_frames_sent = integer_at(object, "pause_frames_sent"),
          .speed = rate_at(object, "speed"),
          .payload = rate_at(object, "payload")};
}

json::object tcp_to_json(const evidence::TcpActivity& tcp) {
  json::object object;
  set(object, "segments_sent", tcp.segments_sent);
  set(object, "retransmits", tcp.retransmits);
  set(object, "timeouts", tcp.timeouts);
  set(object, "listen_drops", tcp.listen_drops);
  set(object, "receive_prunes", tcp.receive_prunes);
  set(object, "receive_collapses", tcp.receive_collapses);
  set(object, "backlog_drops", tcp.backlog_drops);
  set(object, "receive_queue_drops", tcp.receive_queue_drops);
  set(object, "zero_window_wanted", tcp.zero_window_wanted);
  set(object, "zero_window_drops", tcp.zero_window_drops);
  set(object, "softnet_drops", tcp.softnet_drops);
  set(object, "softnet_squeezes", tcp.softnet_squeezes);
  return object;
}

evidence::TcpActivity tcp_from_json(const json::object& object) {
  return {.segments_sent = integer_at(object, "segments_sent"),
          .retransmits = integer_at(object, "retransmits"),
          .timeouts = integer_at(object, "timeouts"),
          .listen_drops = integer_at(object, "listen_drops"),
          .receive_prunes = integer_at(object, "receive_prunes"),
          .receive_collapses = integer_at(object, "receive_collapses"),
          .backlog_drops = integer_at(object, "backlog_drops"),
          .receive_queue_drops = integer_at(object, "receive_queue_drops"),
          .zero_window_wanted = integer_at(object, "zero_window_wanted"),
          .zero_window_drops = integer_at(object, "zero_window_drops"),
          .softnet_drops = integer_at(object, "softnet_drops"),
          .softnet_squeezes = integer_at(object, "softnet_squeezes")};
}

json::object sockets_to_json(const evidence::SocketActivity& sockets) {
  json::object object{{"group", sockets.group},
                      {"sockets", sockets.sockets},
                      {"kernel_owned", sockets.kernel_owned},
                      {"peer", sockets.peer},
                      {"congestion_control", sockets.congestion_control},
                      {"segments_sent", sockets.segments_sent},
                      {"retransmits", sockets.retransmits}};
  put(object, "sent", sockets.sent);
  put(object, "received", sockets.received);
  set(object, "busy", sockets.busy);
  set(object, "receive_window_limited", sockets.receive_window_limited);
  set(object, "send_buffer_limited", sockets.send_buffer_limited);
  put(object, "minimum_peer_window", sockets.minimum_peer_window);
  put(object, "minimum_not_sent", sockets.minimum_not_sent);
  put(object, "rtt", sockets.rtt);
  put(object, "minimum_rtt", sockets.minimum_rtt);
  set(object, "path_mtu", sockets.path_mtu);
  set(object, "segment_size", sockets.segment_size);
  set(object, "congestion_window_segments", sockets.congestion_window);
  return object;
}

evidence::SocketActivity sockets_from_json(const json::object& object) {
  return {.group = text_at(object, "group").value_or(""),
          .sockets = whole_at(object, "sockets").value_or(0),
          .kernel_owned = bool_at(object, "kernel_owned").value_or(false),
          .peer = text_at(object, "peer").value_or(""),
          .congestion_control = text_at(object, "congestion_control").value_or(""),
          .sent = rate_or_zero(object, "sent"),
          .received = rate_or_zero(object, "received"),
          .segments_sent = count_at(object, "segments_sent"),
          .retransmits = count_at(object, "retransmits"),
          .busy = number_at(object, "busy"),
          .receive_window_limited = number_at(object, "receive_window_limited"),
          .send_buffer_limited = number_at(object, "send_buffer_limited"),
          .minimum_peer_window = bytes_at(object, "minimum_peer_window"),
          .minimum_not_sent = bytes_at(object, "minimum_not_sent"),
          .rtt = seconds_at(object, "rtt"),
          .minimum_rtt = seconds_at(object, "minimum_rtt"),
          .path_mtu = whole_at(object, "path_mtu"),
          .segment_size = whole_at(object, "segment_size"),
          .congestion_window = number_at(object, "congestion_window_segments")};
}

json::object disk_to_json(const evidence::DiskActivity& disk) {
  json::object object{{"name", disk.name}};
  put(object, "read", disk.read);
  put(object, "written", disk.written);
  put(object, "peak_read", disk.peak_read);
  put(object, "peak_written", disk.peak_written);
  object["reads_per_second"] = disk.reads;
  object["writes_per_second"] = disk.writes;
  object["busy"] = disk.busy;
  object["in_flight"] = disk.in_flight;
  put(object, "read_latency", disk.read_latency);
  put(object, "write_latency", disk.write_latency);
  object["holds_local_files"] = disk.holds_local_files;
  return object;
}

evidence::DiskActivity disk_from_json(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .read = rate_or_zero(object, "read"),
          .written = rate_or_zero(object, "written"),
          .peak_read = rate_or_zero(object, "peak_read"),
          .peak_written = rate_or_zero(object, "peak_written"),
          .reads = share_at(object, "reads_per_second"),
          .writes = share_at(object, "writes_per_second"),
          .busy = share_at(object, "busy"),
          .in_flight = share_at(object, "in_flight"),
          .read_latency = seconds_at(object, "read_latency"),
          .write_latency = seconds_at(object, "write_latency"),
          .holds_local_files = bool_at(object, "holds_local_files").value_or(false)};
}

std::optional<filebench::MountCounters> mount_at(const json::object& object) {
  if (!has_object(object, "mount")) return std::nullopt;
  return mount_counters_from_json(object_at(object, "mount"));
}

json::object pressure_to_json(const evidence::PressureActivity& pressure) {
  json::object object;
  set(object, "cpu_some", pressure.cpu_some);
  set(object, "io_some", pressure.io_some);
  set(object, "io_full", pressure.io_full);
  set(object, "memory_some", pressure.memory_some);
  set(object, "memory_full", pressure.memory_full);
  return object;
}

evidence::PressureActivity pressure_from_json(const json::object& object) {
  return {.cpu_some = number_at(object, "cpu_some"),
          .io_some = number_at(object, "io_some"),
          .io_full = number_at(object, "io_full"),
          .memory_some = number_at(object, "memory_some"),
          .memory_full = number_at(object, "memory_full")};
}

json::object memory_to_json(const evidence::MemoryActivity& memory) {
  json::object object{{"at_dirty_limit", memory.at_dirty_limit}};
  put(object, "least_available", memory.least_available);
  put(object, "most_dirty", memory.most_dirty);
  put(object, "most_writeback", memory.most_writeback);
  put(object, "dirty_limit", memory.dirty_limit);
  return object;
}

evidence::MemoryActivity memory_from_json(const json::object& object) {
  return {.least_available = bytes_at(object, "least_available"),
          .most_dirty = bytes_at(object, "most_dirty"),
          .most_writeback = bytes_at(object, "most_writeback"),
          .dirty_limit = bytes_at(object, "dirty_limit"),
          .at_dirty_limit = share_at(object, "at_dirty_limit")};
}

json::object quota_to_json(const evidence::QuotaActivity& quota) {
  json::object object{{"group", quota.group}, {"throttled", quota.throttled}};
  set(object, "quota_cores", quota.quota_cores);
  return object;
}

evidence::QuotaActivity quota_from_json(const json::object& object) {
  return {.group = text_at(object, "group").value_or(""),
          .quota_cores = number_at(object, "quota_cores"),
          .throttled = share_at(object, "throttled")};
}

json::object saturation_to_json(const evidence::Saturation& saturation) {
  return {{"code", saturation.code},
          {"subject", saturation.subject},
          {"share", saturation.share},
          {"text", saturation.text}};
}

evidence::Saturation saturation_from_json(const json::object& object) {
  return {.code = text_at(object, "code").value_or(""),
          .subject = text_at(object, "subject").value_or(""),
          .share = share_at(object, "share"),
          .text = text_at(object, "text").value_or("")};
}

// Rows instead of objects: there are hundreds.
constexpr const char* course_columns[] = {"start_seconds",
                                          "length_seconds",
                                          "busiest_core",
                                          "busiest_thread",
                                          "iowait",
                                          "received_bits_per_second",
                                          "sent_bits_per_second",
                                          "disk_read_bits_per_second",
                                          "disk_written_bits_per_second"};

json::object course_to_json(const std::vector<evidence::ObservedStretch>& course) {
  json::array columns;
  for (const char* column : course_columns) columns.push_back(json::value(column));
  return {{"columns", columns}, {"rows", list_to_json(course, [](const evidence::ObservedStretch& stretch) {
                                   return json::array{stretch.start.count(),
                                                      stretch.length.count(),
                                                      stretch.busiest_core,
                                                      stretch.busiest_thread,
                                                      stretch.iowait,
                                                      stretch.received.bits_per_second(),
                                                      stretch.sent.bits_per_second(),
                                                      stretch.disk_read.bits_per_second(),
                                                      stretch.disk_written.bits_per_second()};
                                 })}};
}

std::vector<evidence::ObservedStretch> course_from_json(const json::object& object) {
  std::vector<evidence::ObservedStretch> course;
  for (const json::value& value : array_at(object, "rows")) {
    if (!value.is_array() || value.get_array().size() < std::size(course_columns)) continue;
    const json::array& row = value.get_array();
    const auto number = [&row](std::size_t column) {
      return row[column].is_number() ? row[column].to_number<double>() : 0;
    };
    const auto rate = [&number](std::size_t column) { return DataRate::bits_per_second(number(column)); };
    course.push_back({.start = Seconds(number(0)),
                      .length = Seconds(number(1)),
                      .busiest_core = number(2),
                      .busiest_thread = number(3),
                      .iowait = number(4),
                      .received = rate(5),
                      .sent = rate(6),
                      .disk_read = rate(7),
                      .disk_written = rate(8)});
  }
  return course;
}

}  // namespace

json::object to_json(const Observation& observation) {
  json::object object;
  put(object, "length", observation.length);
  object["samples"] = observation.samples;
  object["saturations"] = list_to_json(observation.saturations, saturation_to_json);
  object["cores"] = list_to_json(observation.cores, core_to_json);
  object["processes"] = list_to_json(observation.processes, process_to_json);
  object["own_threads"] = list_to_json(observation.own_threads, thread_to_json);
  object["interfaces"] = list_to_json(observation.nics, nic_to_json);
  set(object, "tested_interface", observation.tested_nic);
  object["tcp"] = tcp_to_json(observation.tcp);
  object["sockets"] = list_to_json(observation.sockets, sockets_to_json);
  object["disks"] = list_to_json(observation.disks, disk_to_json);
  if (observation.mount) object["mount"] = to_json(*observation.mount);
  object["pressure"] = pressure_to_json(observation.pressure);
  object["memory"] = memory_to_json(observation.memory);
  object["quotas"] = list_to_json(observation.quotas, quota_to_json);
  set(object, "highest_celsius", observation.heat.highest_celsius);
  set(object, "throttle_events", observation.heat.throttle_events);
  object["course"] = course_to_json(observation.course);
  object["notes"] = to_json(observation.notes);
  return object;
}

Observation observation_from_json(const json::object& object) {
  return {.length = seconds_at(object, "length").value_or(Seconds(0)),
          .samples = count_at(object, "samples"),
          .cores = list_from_json(object, "cores", core_from_json),
          .processes = list_from_json(object, "processes", process_from_json),
          .own_threads = list_from_json(object, "own_threads", thread_from_json),
          .nics = list_from_json(object, "interfaces", nic_from_json),
          .tested_nic = text_at(object, "tested_interface"),
          .tcp = tcp_from_json(object_at(object, "tcp")),
          .sockets = list_from_json(object, "sockets", sockets_from_json),
          .disks = list_from_json(object, "disks", disk_from_json),
          .mount = mount_at(object),
          .pressure = pressure_from_json(object_at(object, "pressure")),
          .memory = memory_from_json(object_at(object, "memory")),
          .quotas = list_from_json(object, "quotas", quota_from_json),
          .heat = {.highest_celsius = number_at(object, "highest_celsius"),
                   .throttle_events = integer_at(object, "throttle_events")},
          .course = course_from_json(object_at(object, "course")),
          .saturations = list_from_json(object, "saturations", saturation_from_json),
          .notes = notes_from_json(array_at(object, "notes"))};
}

}  // namespace nasdiag::report
