#include "diagnose/report/disk_json.hpp"

#include "diagnose/report/measure_json.hpp"

#include <diskbench/words.hpp>

#include <cmath>
#include <utility>

namespace nasdiag::report {

namespace json = boost::json;
using diskbench::BlockDevice;
using diskbench::DeviceError;
using diskbench::DirectionResult;
using diskbench::DiskOptions;
using diskbench::DiskResult;
using diskbench::RaidState;
using diskbench::Storage;
using measure::Seconds;
using std::chrono::milliseconds;

namespace {

Seconds seconds_of(milliseconds time) { return Seconds(time); }
milliseconds milliseconds_of(Seconds time) { return milliseconds(std::llround(time.count() * 1000)); }

template <class T>
void put_value(json::object& object, std::string_view key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

void put_text(json::object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

// The enumeration whose word stands at `key`, else what there was.
template <class Enum>
Enum word_at(const json::object& object, std::string_view key, std::optional<Enum> (*parse)(std::string_view),
             Enum otherwise) {
  const auto text = text_at(object, key);
  return text ? parse(*text).value_or(otherwise) : otherwise;
}

unsigned count_at(const json::object& object, std::string_view key, unsigned otherwise) {
  const auto number = integer_at(object, key);
  return number && *number >= 0 && *number <= 1'000'000 ? static_cast<unsigned>(*number) : otherwise;
}

std::uint64_t counter_at(const json::object& object, std::string_view key) {
  const auto number = integer_at(object, key);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

json::object device_json(const BlockDevice& device) {
  json::object object;
  object["name"] = device.name;
  object["kind"] = to_string(device.kind);
  object["level"] = device.level;
  put(object, "size", device.size);
  put_value(object, "rotational", device.rotational);
  put_value(object, "write_back_cache", device.write_back_cache);
  put_value(object, "read_only", device.read_only);
  put_text(object, "model", device.model);
  put_text(object, "transport", device.transport);
  put(object, "link", device.link);
  put_text(object, "scheduler", device.scheduler);
  put_value(object, "polling", device.polling);
  put_value(object, "queue_requests", device.queue_requests);
  put(object, "largest_request", device.largest_request);
  put(object, "logical_block", device.logical_block);
  put(object, "physical_block", device.physical_block);
  put_value(object, "temperature_celsius", device.temperature_celsius);
  put_text(object, "backing", device.backing);
  return object;
}

BlockDevice device_from_json(const json::object& object) {
  BlockDevice device;
  device.name = text_at(object, "name").value_or("");
  device.kind = word_at(object, "kind", diskbench::device_kind_from_text, device.kind);
  device.level = count_at(object, "level", 0);
  device.size = bytes_at(object, "size").value_or(device.size);
  device.rotational = bool_at(object, "rotational");
  device.write_back_cache = bool_at(object, "write_back_cache");
  device.read_only = bool_at(object, "read_only");
  device.model = text_at(object, "model").value_or("");
  device.transport = text_at(object, "transport").value_or("");
  device.link = rate_at(object, "link");
  device.scheduler = text_at(object, "scheduler").value_or("");
  device.polling = bool_at(object, "polling");
  if (object.contains("queue_requests")) device.queue_requests = count_at(object, "queue_requests", 0);
  device.largest_request = bytes_at(object, "largest_request");
  device.logical_block = bytes_at(object, "logical_block");
  device.physical_block = bytes_at(object, "physical_block");
  device.temperature_celsius = number_at(object, "temperature_celsius");
  device.backing = text_at(object, "backing").value_or("");
  return device;
}

json::object raid_json(const RaidState& raid) {
  json::object object;
  object["name"] = raid.name;
  put_text(object, "level", raid.level);
  put_text(object, "activity", raid.activity);
  put_value(object, "activity_percent", raid.activity_percent);
  object["degraded"] = raid.degraded;
  return object;
}

RaidState raid_from_json(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .level = text_at(object, "level").value_or(""),
          .activity = text_at(object, "activity").value_or(""),
          .activity_percent = number_at(object, "activity_percent"),
          .degraded = bool_at(object, "degraded").value_or(false)};
}

json::object direction_json(const DirectionResult& direction) {
  json::object object;
  put(object, "throughput", direction.throughput);
  put(object, "burst", direction.burst);
  object["iops"] = direction.iops.per_second();
  object["operations"] = direction.operations;
  put(object, "moved", direction.bytes);
  object["latency"] = to_json(direction.latency);
  if (direction.flush_latency.count() > 0) object["flush_latency"] = to_json(direction.flush_latency);
  if (direction.precision) object["precision"] = to_json(*direction.precision);
  object["change_points"] = to_json(direction.change_points);
  if (direction.trend) object["trend"] = to_json(*direction.trend);
  object["samples"] = to_json(direction.samples);
  return object;
}

DirectionResult direction_from_json(const json::object& object) {
  DirectionResult direction;
  direction.throughput = rate_at(object, "throughput").value_or(direction.throughput);
  direction.burst = rate_at(object, "burst").value_or(direction.throughput);
  direction.iops = measure::OpRate::per_second(number_at(object, "iops").value_or(0));
  direction.operations = counter_at(object, "operations");
  direction.bytes = bytes_at(object, "moved").value_or(direction.bytes);
  direction.latency = histogram_from_json(object_at(object, "latency"));
  direction.flush_latency = histogram_from_json(object_at(object, "flush_latency"));
  if (has_object(object, "precision"))
    direction.precision = precision_from_json(object_at(object, "precision"));
  direction.change_points = change_points_from_json(array_at(object, "change_points"));
  if (has_object(object, "trend")) direction.trend = trend_from_json(object_at(object, "trend"));
  direction.samples = series_from_json(array_at(object, "samples"));
  return direction;
}

json::array errors_json(const std::vector<DeviceError>& errors) {
  json::array array;
  for (const DeviceError& error : errors) {
    json::object object;
    object["direction"] = to_string(error.direction);
    put(object, "offset", error.offset);
    object["errno"] = error.error;
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<DeviceError> errors_from_json(const json::array& array) {
  std::vector<DeviceError> errors;
  for (const json::value& value : array) {
    if (!value.is_object()) continue;
    const json::object& object = value.get_object();
    errors.push_back({.direction = direction_from_text(text_at(object, "direction").value_or(""))
                                       .value_or(measure::Direction::read),
                      .offset = bytes_at(object, "offset").value_or(measure::ByteCount()),
                      .error = static_cast<int>(count_at(object, "errno", 0))});
  }
  return errors;
}

template <class T, class Read>
std::vector<T> objects_at(const json::object& object, std::string_view key, Read read) {
  std::vector<T> values;
  for (const json::value& value : array_at(object, key))
    if (value.is_object()) values.push_back(read(value.get_object()));
  return values;
}

}  // namespace

json::object to_json(const DiskOptions& options) {
  json::object object;
  put_text(object, "name", options.name);
  object["pattern"] = to_string(options.pattern);
  put(object, "block_size", options.block_size);
  object["io_depth"] = options.io_depth;
  object["jobs"] = options.jobs;
  put(object, "size", options.size);
  object["read_percent"] = options.read_percent;
  put(object, "runtime", seconds_of(options.runtime));
  put(object, "ramp_time", seconds_of(options.ramp_time));
  put(object, "byte_limit", options.byte_limit);
  put_value(object, "precision", options.precision);
  object["once"] = options.once;
  if (options.prepare_limit) put(object, "prepare_limit", seconds_of(*options.prepare_limit));
  put(object, "stuck_after", seconds_of(options.stuck_after));
  object["direct"] = to_string(options.direct);
  object["sync"] = to_string(options.sync);
  object["fsync_every"] = options.fsync_every;
  object["fdatasync_every"] = options.fdatasync_every;
  object["end_flush"] = options.end_flush;
  object["end_fsync"] = options.end_fsync;
  put(object, "rate", options.rate);
  object["random_map"] = options.random_map;
  object["engine"] = to_string(options.engine);
  object["sq_poll"] = options.sq_poll;
  object["io_poll"] = options.io_poll;
  object["seed"] = options.seed;
  return object;
}

DiskOptions disk_options_from_json(const json::object& object) {
  DiskOptions options;
  const auto flag = [&](std::string_view key, bool otherwise) {
    return bool_at(object, key).value_or(otherwise);
  };
  options.name = text_at(object, "name").value_or("");
  options.pattern = word_at(object, "pattern", diskbench::pattern_from_text, options.pattern);
  options.block_size = bytes_at(object, "block_size").value_or(options.block_size);
  options.io_depth = count_at(object, "io_depth", options.io_depth);
  options.jobs = count_at(object, "jobs", options.jobs);
  options.size = bytes_at(object, "size").value_or(options.size);
  options.read_percent = static_cast<int>(count_at(object, "read_percent", 50));
  if (const auto time = seconds_at(object, "runtime")) options.runtime = milliseconds_of(*time);
  if (const auto time = seconds_at(object, "ramp_time")) options.ramp_time = milliseconds_of(*time);
  options.byte_limit = bytes_at(object, "byte_limit");
  options.precision = number_at(object, "precision");
  options.once = flag("once", options.once);
  if (const auto time = seconds_at(object, "prepare_limit")) options.prepare_limit = milliseconds_of(*time);
  if (const auto time = seconds_at(object, "stuck_after")) options.stuck_after = milliseconds_of(*time);
  options.direct = word_at(object, "direct", diskbench::direct_from_text, options.direct);
  options.sync = word_at(object, "sync", diskbench::sync_from_text, options.sync);
  options.fsync_every = count_at(object, "fsync_every", 0);
  options.fdatasync_every = count_at(object, "fdatasync_every", 0);
  options.end_flush = flag("end_flush", options.end_flush);
  options.end_fsync = flag("end_fsync", options.end_fsync);
  options.rate = rate_at(object, "rate");
  options.random_map = flag("random_map", options.random_map);
  options.engine = word_at(object, "engine", diskbench::engine_choice_from_text, options.engine);
  options.sq_poll = flag("sq_poll", options.sq_poll);
  options.io_poll = flag("io_poll", options.io_poll);
  options.seed = counter_at(object, "seed");
  return options;
}

json::object to_json(const Storage& storage) {
  json::object object;
  object["mount_point"] = storage.mount_point.string();
  object["file_system"] = storage.file_system;
  object["source"] = storage.source;
  object["mount_options"] = storage.mount_options;
  json::array devices;
  for (const BlockDevice& device : storage.devices) devices.push_back(device_json(device));
  object["devices"] = std::move(devices);
  json::array raids;
  for (const RaidState& raid : storage.raids) raids.push_back(raid_json(raid));
  object["raids"] = std::move(raids);
  put(object, "file_system_size", storage.file_system_size);
  put(object, "free_space", storage.free_space);
  return object;
}

Storage storage_from_json(const json::object& object) {
  Storage storage;
  storage.mount_point = text_at(object, "mount_point").value_or("");
  storage.file_system = text_at(object, "file_system").value_or("");
  storage.source = text_at(object, "source").value_or("");
  storage.mount_options = text_at(object, "mount_options").value_or("");
  storage.devices = objects_at<BlockDevice>(object, "devices", device_from_json);
  storage.raids = objects_at<RaidState>(object, "raids", raid_from_json);
  storage.file_system_size = bytes_at(object, "file_system_size");
  storage.free_space = bytes_at(object, "free_space");
  return storage;
}

json::object to_json(const DiskResult& result) {
  json::object object;
  object["options"] = to_json(result.options);
  object["storage"] = to_json(result.storage);
  object["engine"] = to_string(result.engine);
  object["cache_path"] = to_string(result.cache_path);
  put_value(object, "resident_share", result.resident_share);
  put(object, "region", result.region);
  put(object, "apparent_size", result.apparent_size);
  put(object, "allocated_size", result.allocated_size);
  put(object, "window", result.window);
  put(object, "flush_time", result.flush_time);
  put(object, "user_cpu", result.user_cpu);
  put(object, "system_cpu", result.system_cpu);
  object["stop_reason"] = to_string(result.stop_reason);
  object["error_count"] = result.error_count;
  object["errors"] = errors_json(result.errors);
  object["notes"] = to_json(result.notes);
  if (result.read) object["read"] = direction_json(*result.read);
  if (result.write) object["write"] = direction_json(*result.write);
  return object;
}

DiskResult disk_result_from_json(const json::object& object) {
  DiskResult result;
  result.options = disk_options_from_json(object_at(object, "options"));
  result.storage = storage_from_json(object_at(object, "storage"));
  result.engine = word_at(object, "engine", diskbench::engine_from_text, result.engine);
  result.cache_path = word_at(object, "cache_path", diskbench::cache_path_from_text, result.cache_path);
  result.resident_share = number_at(object, "resident_share");
  result.region = bytes_at(object, "region").value_or(result.region);
  result.apparent_size = bytes_at(object, "apparent_size").value_or(result.apparent_size);
  result.allocated_size = bytes_at(object, "allocated_size");
  result.window = seconds_at(object, "window").value_or(result.window);
  result.flush_time = seconds_at(object, "flush_time").value_or(result.flush_time);
  result.user_cpu = seconds_at(object, "user_cpu").value_or(result.user_cpu);
  result.system_cpu = seconds_at(object, "system_cpu").value_or(result.system_cpu);
  result.stop_reason = word_at(object, "stop_reason", diskbench::stop_reason_from_text, result.stop_reason);
  result.error_count = counter_at(object, "error_count");
  result.errors = errors_from_json(array_at(object, "errors"));
  result.notes = notes_from_json(array_at(object, "notes"));
  if (has_object(object, "read")) result.read = direction_from_json(object_at(object, "read"));
  if (has_object(object, "write")) result.write = direction_from_json(object_at(object, "write"));
  return result;
}

}  // namespace nasdiag::report
