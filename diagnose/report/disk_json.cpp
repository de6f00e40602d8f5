#include "diagnose/report/disk_json.hpp"

#include "diagnose/report/measure_json.hpp"

#include <array>

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using diskbench::BlockDevice;
using diskbench::DirectionResult;
using diskbench::DiskResult;
using diskbench::Storage;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;
using report::to_json;  // those below would hide the shared ones

template <class Enum, std::size_t N>
Enum enum_from(std::string_view text, const std::array<Enum, N>& values) {
  for (const Enum value : values)
    if (to_string(value) == text) return value;
  return values.front();
}

constexpr std::array kPatterns{diskbench::Pattern::read,     diskbench::Pattern::write,
                               diskbench::Pattern::randread, diskbench::Pattern::randwrite,
                               diskbench::Pattern::rw,       diskbench::Pattern::randrw};
constexpr std::array kEngines{diskbench::Engine::io_uring, diskbench::Engine::blocking,
                              diskbench::Engine::null};
constexpr std::array kStops{diskbench::StopReason::runtime, diskbench::StopReason::precision,
                            diskbench::StopReason::once,    diskbench::StopReason::bytes,
                            diskbench::StopReason::stopped, diskbench::StopReason::no_space,
                            diskbench::StopReason::error,   diskbench::StopReason::stuck};
constexpr std::array kKinds{diskbench::DeviceKind::disk,      diskbench::DeviceKind::partition,
                            diskbench::DeviceKind::lvm,       diskbench::DeviceKind::crypt,
                            diskbench::DeviceKind::multipath, diskbench::DeviceKind::device_mapper,
                            diskbench::DeviceKind::raid,      diskbench::DeviceKind::bcache,
                            diskbench::DeviceKind::loop,      diskbench::DeviceKind::memory};

json::object to_json(const DirectionResult& figures) {
  json::object object{{"operations", figures.operations}, {"iops", figures.iops.per_second()}};
  put(object, "moved", figures.bytes);
  put(object, "throughput", figures.throughput);
  put(object, "burst", figures.burst);
  object["latency"] = to_json(figures.latency);
  object["flush_latency"] = to_json(figures.flush_latency);
  if (figures.precision) object["precision"] = to_json(*figures.precision);
  if (figures.trend) object["trend"] = to_json(*figures.trend);
  object["change_points"] = to_json(figures.change_points);
  object["samples"] = to_json(figures.samples);
  return object;
}

DirectionResult direction_result_from_json(const json::object& object) {
  DirectionResult figures;
  figures.operations = static_cast<std::uint64_t>(integer_at(object, "operations").value_or(0));
  figures.iops = measure::OpRate::per_second(number_at(object, "iops").value_or(0));
  figures.bytes = bytes_at(object, "moved").value_or(ByteCount());
  figures.throughput = rate_at(object, "throughput").value_or(DataRate());
  figures.burst = rate_at(object, "burst").value_or(DataRate());
  figures.latency = histogram_from_json(object_at(object, "latency"));
  figures.flush_latency = histogram_from_json(object_at(object, "flush_latency"));
  if (has_object(object, "precision"))
    figures.precision = precision_from_json(object_at(object, "precision"));
  if (has_object(object, "trend")) figures.trend = trend_from_json(object_at(object, "trend"));
  figures.change_points = change_points_from_json(array_at(object, "change_points"));
  figures.samples = series_from_json(array_at(object, "samples"));
  return figures;
}

json::object to_json(const BlockDevice& device) {
  json::object object{{"name", device.name},           {"kind", to_string(device.kind)},
                      {"level", device.level},         {"model", device.model},
                      {"transport", device.transport}, {"scheduler", device.scheduler},
                      {"backing", device.backing}};
  put(object, "size", device.size);
  put(object, "link", device.link);
  if (device.rotational) object["rotational"] = *device.rotational;
  if (device.write_back_cache) object["write_back_cache"] = *device.write_back_cache;
  if (device.temperature_celsius) object["temperature_celsius"] = *device.temperature_celsius;
  return object;
}

BlockDevice device_from_json(const json::object& object) {
  BlockDevice device;
  device.name = text_at(object, "name").value_or("");
  device.kind = enum_from(text_at(object, "kind").value_or(""), kKinds);
  device.level = static_cast<unsigned>(integer_at(object, "level").value_or(0));
  device.size = bytes_at(object, "size").value_or(ByteCount());
  device.rotational = bool_at(object, "rotational");
  device.write_back_cache = bool_at(object, "write_back_cache");
  device.model = text_at(object, "model").value_or("");
  device.transport = text_at(object, "transport").value_or("");
  device.link = rate_at(object, "link");
  device.scheduler = text_at(object, "scheduler").value_or("");
  device.temperature_celsius = number_at(object, "temperature_celsius");
  device.backing = text_at(object, "backing").value_or("");
  return device;
}

}  // namespace

json::object to_json(const Storage& storage) {
  json::object object{{"mount_point", storage.mount_point.string()},
                      {"file_system", storage.file_system},
                      {"source", storage.source},
                      {"mount_options", storage.mount_options}};
  put(object, "file_system_size", storage.file_system_size);
  put(object, "free_space", storage.free_space);
  json::array devices;
  for (const BlockDevice& device : storage.devices) devices.push_back(to_json(device));
  object["devices"] = std::move(devices);
  return object;
}

Storage storage_from_json(const json::object& object) {
  Storage storage;
  storage.mount_point = text_at(object, "mount_point").value_or("");
  storage.file_system = text_at(object, "file_system").value_or("");
  storage.source = text_at(object, "source").value_or("");
  storage.mount_options = text_at(object, "mount_options").value_or("");
  storage.file_system_size = bytes_at(object, "file_system_size");
  storage.free_space = bytes_at(object, "free_space");
  for (const json::value& device : array_at(object, "devices"))
    if (device.is_object()) storage.devices.push_back(device_from_json(device.get_object()));
  return storage;
}

json::object to_json(const DiskResult& result) {
  json::object object{{"pattern", to_string(result.options.pattern)},
                      {"io_depth", result.options.io_depth},
                      {"jobs", result.options.jobs},
                      {"engine", to_string(result.engine)},
                      {"direct", result.cache_path == diskbench::CachePath::direct},
                      {"stop_reason", to_string(result.stop_reason)},
                      {"error_count", result.error_count}};
  put(object, "block_size", result.options.block_size);
  put(object, "region", result.region);
  put(object, "window", result.window);
  put(object, "flush_time", result.flush_time);
  if (result.resident_share) object["resident_share"] = *result.resident_share;
  if (result.read) object["read"] = to_json(*result.read);
  if (result.write) object["write"] = to_json(*result.write);
  object["storage"] = to_json(result.storage);
  object["notes"] = to_json(result.notes);
  return object;
}

DiskResult disk_result_from_json(const json::object& object) {
  DiskResult result;
  result.options.pattern = enum_from(text_at(object, "pattern").value_or(""), kPatterns);
  result.options.io_depth = static_cast<unsigned>(integer_at(object, "io_depth").value_or(1));
  result.options.jobs = static_cast<unsigned>(integer_at(object, "jobs").value_or(1));
  result.options.block_size = bytes_at(object, "block_size").value_or(ByteCount());
  result.engine = enum_from(text_at(object, "engine").value_or(""), kEngines);
  result.cache_path = bool_at(object, "direct").value_or(true) ? diskbench::CachePath::direct
                                                               : diskbench::CachePath::buffered;
  result.stop_reason = enum_from(text_at(object, "stop_reason").value_or(""), kStops);
  result.error_count = static_cast<std::uint64_t>(integer_at(object, "error_count").value_or(0));
  result.region = bytes_at(object, "region").value_or(ByteCount());
  result.window = seconds_at(object, "window").value_or(Seconds(0));
  result.flush_time = seconds_at(object, "flush_time").value_or(Seconds(0));
  result.resident_share = number_at(object, "resident_share");
  if (has_object(object, "read")) result.read = direction_result_from_json(object_at(object, "read"));
  if (has_object(object, "write")) result.write = direction_result_from_json(object_at(object, "write"));
  result.storage = storage_from_json(object_at(object, "storage"));
  result.notes = notes_from_json(array_at(object, "notes"));
  return result;
}

}  // namespace nasdiag::report
