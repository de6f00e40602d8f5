#include "diagnose/report/facts_json.hpp"

#include "diagnose/report/disk_json.hpp"
#include "diagnose/report/field_json.hpp"
#include "diagnose/report/file_json.hpp"

namespace nasdiag::report {

namespace json = boost::json;
using evidence::Facts;
using evidence::HostFacts;
using evidence::Nic;
using evidence::RouteFacts;
using evidence::TcpSettings;
using measure::DataRate;

namespace {

json::object host_to_json(const HostFacts& host) {
  json::object object{{"name", host.name}};
  set(object, "operating_system", host.operating_system);
  set(object, "kernel", host.kernel);
  set(object, "cpu_model", host.cpu_model);
  set(object, "cores", host.cores);
  set(object, "cpu_max_mhz", host.cpu_max_mhz);
  set(object, "governor", host.governor);
  set(object, "clock_driver", host.clock_driver);
  set(object, "aes", host.aes);
  set(object, "virtualisation", host.virtualisation);
  set(object, "container", host.container);
  set(object, "cpu_quota_cores", host.cpu_quota_cores);
  put(object, "memory", host.memory);
  put(object, "memory_available", host.memory_available);
  put(object, "swap_used", host.swap_used);
  set(object, "cpu_pressure", host.cpu_pressure);
  set(object, "io_pressure", host.io_pressure);
  set(object, "memory_pressure", host.memory_pressure);
  set(object, "clock_source", host.clock_source);
  return object;
}

HostFacts host_from_json(const json::object& object) {
  return {.name = text_at(object, "name").value_or(""),
          .operating_system = text_at(object, "operating_system"),
          .kernel = text_at(object, "kernel"),
          .cpu_model = text_at(object, "cpu_model"),
          .cores = whole_at(object, "cores"),
          .cpu_max_mhz = number_at(object, "cpu_max_mhz"),
          .governor = text_at(object, "governor"),
          .clock_driver = text_at(object, "clock_driver"),
          .aes = bool_at(object, "aes"),
          .virtualisation = text_at(object, "virtualisation"),
          .container = text_at(object, "container"),
          .cpu_quota_cores = number_at(object, "cpu_quota_cores"),
          .memory = bytes_at(object, "memory"),
          .memory_available = bytes_at(object, "memory_available"),
          .swap_used = bytes_at(object, "swap_used"),
          .cpu_pressure = number_at(object, "cpu_pressure"),
          .io_pressure = number_at(object, "io_pressure"),
          .memory_pressure = number_at(object, "memory_pressure"),
          .clock_source = text_at(object, "clock_source")};
}

json::object route_to_json(const RouteFacts& route) {
  json::object object{{"server", route.server}, {"address", route.address}};
  set(object, "interface", route.interface);
  set(object, "source", route.source);
  set(object, "gateway", route.gateway);
  set(object, "mtu", route.mtu);
  set(object, "neighbour_state", route.neighbour_state);
  object["local"] = route.local;
  object["tunnel"] = route.tunnel;
  object["wifi"] = route.wifi;
  object["stack"] = texts_to_json(route.stack);
  return object;
}

RouteFacts route_from_json(const json::object& object) {
  return {.server = text_at(object, "server").value_or(""),
          .address = text_at(object, "address").value_or(""),
          .interface = text_at(object, "interface"),
          .source = text_at(object, "source"),
          .gateway = text_at(object, "gateway"),
          .mtu = whole_at(object, "mtu"),
          .neighbour_state = text_at(object, "neighbour_state"),
          .local = bool_at(object, "local").value_or(false),
          .tunnel = bool_at(object, "tunnel").value_or(false),
          .wifi = bool_at(object, "wifi").value_or(false),
          .stack = texts_at(object, "stack")};
}

json::array speeds_to_json(const std::vector<DataRate>& speeds) {
  return list_to_json(speeds, [](DataRate speed) { return json::value(speed.bits_per_second()); });
}

std::vector<DataRate> speeds_from_json(const json::object& object, std::string_view key) {
  std::vector<DataRate> speeds;
  for (const json::value& value : array_at(object, key)) {
    if (value.is_number()) speeds.push_back(DataRate::bits_per_second(value.to_number<double>()));
  }
  return speeds;
}

json::object usb_to_json(const evidence::UsbBus& bus) {
  json::object object{{"version", bus.version}, {"product", bus.product}};
  put(object, "speed", bus.speed);
  return object;
}

evidence::UsbBus usb_from_json(const json::object& object) {
  return {.speed = rate_at(object, "speed"),
          .version = text_at(object, "version").value_or(""),
          .product = text_at(object, "product").value_or("")};
}

json::object pcie_to_json(const evidence::PcieBus& bus) {
  json::object object;
  set(object, "gigatransfers_per_second", bus.gigatransfers);
  set(object, "lanes", bus.lanes);
  set(object, "max_gigatransfers_per_second", bus.max_gigatransfers);
  set(object, "max_lanes", bus.max_lanes);
  return object;
}

evidence::PcieBus pcie_from_json(const json::object& object) {
  return {.gigatransfers = number_at(object, "gigatransfers_per_second"),
          .lanes = whole_at(object, "lanes"),
          .max_gigatransfers = number_at(object, "max_gigatransfers_per_second"),
          .max_lanes = whole_at(object, "max_lanes")};
}

json::object settings_to_json(const Nic& nic) {
  json::object object;
  set(object, "tx_checksum", nic.tx_checksum);
  set(object, "tcp_segmentation", nic.tcp_segmentation);
  set(object, "generic_receive", nic.generic_receive);
  set(object, "generic_segmentation", nic.generic_segmentation);
  set(object, "large_receive", nic.large_receive);
  set(object, "rx_ring", nic.rx_ring);
  set(object, "rx_ring_max", nic.rx_ring_max);
  set(object, "tx_ring", nic.tx_ring);
  set(object, "tx_ring_max", nic.tx_ring_max);
  set(object, "queues", nic.queues);
  set(object, "rx_pause", nic.rx_pause);
  set(object, "tx_pause", nic.tx_pause);
  return object;
}

void read_settings(const json::object& object, Nic& nic) {
  nic.tx_checksum = bool_at(object, "tx_checksum");
  nic.tcp_segmentation = bool_at(object, "tcp_segmentation");
  nic.generic_receive = bool_at(object, "generic_receive");
  nic.generic_segmentation = bool_at(object, "generic_segmentation");
  nic.large_receive = bool_at(object, "large_receive");
  nic.rx_ring = whole_at(object, "rx_ring");
  nic.rx_ring_max = whole_at(object, "rx_ring_max");
  nic.tx_ring = whole_at(object, "tx_ring");
  nic.tx_ring_max = whole_at(object, "tx_ring_max");
  nic.queues = whole_at(object, "queues");
  nic.rx_pause = bool_at(object, "rx_pause");
  nic.tx_pause = bool_at(object, "tx_pause");
}

json::object nic_to_json(const Nic& nic) {
  json::object object{{"name", nic.name}, {"kind", to_string(nic.kind)}};
  put(object, "speed", nic.speed);
  set(object, "duplex", nic.duplex);
  set(object, "autonegotiation", nic.autonegotiation);
  object["supported_bits_per_second"] = speeds_to_json(nic.supported);
  object["advertised_bits_per_second"] = speeds_to_json(nic.advertised);
  object["partner_bits_per_second"] = speeds_to_json(nic.partner);
  set(object, "driver", nic.driver);
  set(object, "driver_version", nic.driver_version);
  set(object, "firmware", nic.firmware);
  set(object, "bus_address", nic.bus_address);
  set(object, "mtu", nic.mtu);
  set(object, "state", nic.state);
  set(object, "carrier_changes", nic.carrier_changes);
  set(object, "errors", nic.errors);
  set(object, "crc_errors", nic.crc_errors);
  set(object, "drops", nic.drops);
  set(object, "collisions", nic.collisions);
  object["settings"] = settings_to_json(nic);
  if (nic.usb) object["usb"] = usb_to_json(*nic.usb);
  if (nic.pcie) object["pcie"] = pcie_to_json(*nic.pcie);
  object["lower"] = texts_to_json(nic.lower);
  object["addresses"] = texts_to_json(nic.addresses);
  return object;
}

Nic nic_from_json(const json::object& object) {
  using enum evidence::NicKind;
  static constexpr evidence::NicKind kinds[] = {ethernet, wifi, paravirtual, veth,     tap,  tunnel,
                                                bridge,   bond, vlan,        loopback, other};
  Nic nic{.name = text_at(object, "name").value_or(""),
          .kind = named_at(object, "kind", kinds),
          .speed = rate_at(object, "speed"),
          .duplex = text_at(object, "duplex"),
          .autonegotiation = bool_at(object, "autonegotiation"),
          .supported = speeds_from_json(object, "supported_bits_per_second"),
          .advertised = speeds_from_json(object, "advertised_bits_per_second"),
          .partner = speeds_from_json(object, "partner_bits_per_second"),
          .driver = text_at(object, "driver"),
          .driver_version = text_at(object, "driver_version"),
          .firmware = text_at(object, "firmware"),
          .bus_address = text_at(object, "bus_address"),
          .mtu = whole_at(object, "mtu"),
          .state = text_at(object, "state"),
          .carrier_changes = integer_at(object, "carrier_changes"),
          .errors = integer_at(object, "errors"),
          .crc_errors = integer_at(object, "crc_errors"),
          .drops = integer_at(object, "drops"),
          .collisions = integer_at(object, "collisions"),
          .lower = texts_at(object, "lower"),
          .addresses = texts_at(object, "addresses")};
  read_settings(object_at(object, "settings"), nic);
  if (has_object(object, "usb")) nic.usb = usb_from_json(object_at(object, "usb"));
  if (has_object(object, "pcie")) nic.pcie = pcie_from_json(object_at(object, "pcie"));
  return nic;
}

json::object limits_to_json(const evidence::BufferLimits& limits) {
  json::object object;
  put(object, "minimum", limits.minimum);
  put(object, "initial", limits.initial);
  put(object, "maximum", limits.maximum);
  return object;
}

std::optional<evidence::BufferLimits> limits_at(const json::object& object, std::string_view key) {
  const json::object& limits = object_at(object, key);
  const auto minimum = bytes_at(limits, "minimum"), initial = bytes_at(limits, "initial"),
             maximum = bytes_at(limits, "maximum");
  if (!minimum || !initial || !maximum) return std::nullopt;
  return evidence::BufferLimits{.minimum = *minimum, .initial = *initial, .maximum = *maximum};
}

json::object tcp_to_json(const TcpSettings& tcp) {
  json::object object;
  set(object, "congestion_control", tcp.congestion_control);
  object["available_congestion_controls"] = texts_to_json(tcp.available_congestion_controls);
  set(object, "queue_discipline", tcp.queue_discipline);
  if (tcp.receive_buffer) object["receive_buffer"] = limits_to_json(*tcp.receive_buffer);
  if (tcp.send_buffer) object["send_buffer"] = limits_to_json(*tcp.send_buffer);
  put(object, "receive_buffer_maximum", tcp.receive_buffer_maximum);
  put(object, "send_buffer_maximum", tcp.send_buffer_maximum);
  set(object, "timestamps", tcp.timestamps);
  set(object, "window_scaling", tcp.window_scaling);
  set(object, "selective_acks", tcp.selective_acks);
  set(object, "moderate_receive_buffer", tcp.moderate_receive_buffer);
  set(object, "mtu_probing", tcp.mtu_probing);
  return object;
}

TcpSettings tcp_from_json(const json::object& object) {
  return {.congestion_control = text_at(object, "congestion_control"),
          .available_congestion_controls = texts_at(object, "available_congestion_controls"),
          .queue_discipline = text_at(object, "queue_discipline"),
          .receive_buffer = limits_at(object, "receive_buffer"),
          .send_buffer = limits_at(object, "send_buffer"),
          .receive_buffer_maximum = bytes_at(object, "receive_buffer_maximum"),
          .send_buffer_maximum = bytes_at(object, "send_buffer_maximum"),
          .timestamps = bool_at(object, "timestamps"),
          .window_scaling = bool_at(object, "window_scaling"),
          .selective_acks = bool_at(object, "selective_acks"),
          .moderate_receive_buffer = bool_at(object, "moderate_receive_buffer"),
          .mtu_probing = whole_at(object, "mtu_probing")};
}

}  // namespace

json::object to_json(const Facts& facts) {
  json::object object{{"host", host_to_json(facts.host)}};
  if (facts.route) object["route"] = route_to_json(*facts.route);
  if (facts.mount_route) object["mount_route"] = route_to_json(*facts.mount_route);
  object["interfaces"] = list_to_json(facts.nics, nic_to_json);
  object["tcp"] = tcp_to_json(facts.tcp);
  if (facts.mount) object["mount"] = to_json(*facts.mount);
  if (facts.local_storage) object["local_storage"] = to_json(*facts.local_storage);
  object["surprises"] = to_json(facts.surprises);
  object["unread"] = to_json(facts.unread);
  return object;
}

Facts facts_from_json(const json::object& object) {
  Facts facts{.host = host_from_json(object_at(object, "host")),
              .nics = list_from_json(object, "interfaces", nic_from_json),
              .tcp = tcp_from_json(object_at(object, "tcp")),
              .surprises = notes_from_json(array_at(object, "surprises")),
              .unread = notes_from_json(array_at(object, "unread"))};
  if (has_object(object, "route")) facts.route = route_from_json(object_at(object, "route"));
  if (has_object(object, "mount_route"))
    facts.mount_route = route_from_json(object_at(object, "mount_route"));
  if (has_object(object, "mount")) facts.mount = mount_from_json(object_at(object, "mount"));
  if (has_object(object, "local_storage")) {
    facts.local_storage = storage_from_json(object_at(object, "local_storage"));
  }
  return facts;
}

json::object to_json(const evidence::LinkPayload& payload) {
  json::object object{{"limited_by", payload.limited_by}, {"formula", payload.formula}};
  put(object, "payload", payload.rate);
  put(object, "low", payload.low);
  put(object, "high", payload.high);
  return object;
}

evidence::LinkPayload link_payload_from_json(const json::object& object) {
  return {.rate = rate_at(object, "payload"),
          .low = rate_at(object, "low"),
          .high = rate_at(object, "high"),
          .limited_by = text_at(object, "limited_by").value_or("unknown"),
          .formula = text_at(object, "formula").value_or("")};
}

}  // namespace nasdiag::report
