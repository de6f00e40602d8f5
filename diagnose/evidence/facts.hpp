#pragma once

// What is there before anything is measured: hosts, route, network interfaces, TCP settings. Read by
// diagnose/facts, saved with every report. What could not be read is absent, never zero.
//
// stack    the interfaces a packet goes through on this host, from the one the route names down to the
//          hardware: bond0.20, bond0, enp3s0, enp4s0.
// partner  the other end of the cable: a switch port or the NAS.

#include <diskbench/block_device.hpp>
#include <filebench/mount.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::evidence {

struct HostFacts {
  std::string name;  // empty if unknown
  std::optional<std::string> operating_system;
  std::optional<std::string> kernel;
  std::optional<std::string> cpu_model;
  std::optional<int> cores;  // logical processors that are online
  std::optional<double> cpu_max_mhz;
  std::optional<std::string> governor;  // of the clock: "performance", "powersave"; "mixed" if cores differ
  std::optional<std::string> clock_driver;  // who sets the clock: "intel_pstate", "cpufreq-dt"
  std::optional<bool> aes;  // the processor has instructions for AES (false: ciphers are slow)
  std::optional<std::string> virtualisation;  // "kvm", "vmware"; "none" when certain that it's real hardware
  std::optional<std::string> container;       // "docker", "lxc"
  std::optional<double> cpu_quota_cores;      // a limit set for this process's group
  std::optional<measure::ByteCount> memory;
  std::optional<measure::ByteCount> memory_available;
  std::optional<measure::ByteCount> swap_used;
  std::optional<double> cpu_pressure;  // PSI: share of the last 10 s in which some task waited for it, 0 to 1
  std::optional<double> io_pressure;
  std::optional<double> memory_pressure;
  std::optional<std::string> clock_source;  // "tsc", "hpet"
  bool operator==(const HostFacts&) const = default;
};

struct RouteFacts {
  std::string server;   // as asked for: a name or an address
  std::string address;  // numeric
  std::optional<std::string> interface;
  std::optional<std::string> source;   // our address on the way there
  std::optional<std::string> gateway;  // absent: directly connected
  std::optional<int> mtu;              // learned or configured for this route, if it has one of its own
  std::optional<std::string> neighbour_state;  // of the next hop: "reachable", "stale", "failed" …
  bool local = false;                          // the server is this very machine
  bool tunnel = false;                         // through a VPN or another tunnel
  bool wifi = false;                           // over the radio
  std::vector<std::string> stack;
  bool operator==(const RouteFacts&) const = default;
};

struct UsbBus {
  std::optional<measure::DataRate> speed;  // raw, the slowest of the device and the hubs above it
  std::string version;                     // " 3.20" as the device tells
  std::string product;
  bool operator==(const UsbBus&) const = default;
};

struct PcieBus {
  std::optional<double> gigatransfers;  // per second and lane: 2.5, 5, 8, 16, 32
  std::optional<int> lanes;
  std::optional<double> max_gigatransfers;  // what the card could use
  std::optional<int> max_lanes;
  bool operator==(const PcieBus&) const = default;
};

enum class NicKind { ethernet, wifi, paravirtual, veth, tap, tunnel, bridge, bond, vlan, loopback, other };

struct Nic {
  std::string name;
  NicKind kind = NicKind::other;
  std::optional<measure::DataRate>
      speed;  // negotiated, as sysfs tells; absent where the kernel's figure means nothing
  std::optional<std::string> duplex;  // "full", "half"
  std::optional<bool> autonegotiation;
  std::vector<measure::DataRate> supported;   // speeds, ascending
  std::vector<measure::DataRate> advertised;  // by us
  std::vector<measure::DataRate> partner;     // by the other end; empty if the driver doesn't tell
  std::optional<std::string> driver;
  std::optional<std::string> driver_version;
  std::optional<std::string> firmware;
  std::optional<std::string> bus_address;
  std::optional<int> mtu;
  std::optional<std::string> state;             // "up", "down", "lowerlayerdown"
  std::optional<std::int64_t> carrier_changes;  // since boot
  std::optional<bool> tx_checksum, tcp_segmentation, generic_receive, generic_segmentation,
      large_receive;  // offloads
  std::optional<int> rx_ring, rx_ring_max, tx_ring, tx_ring_max;
  std::optional<int> queues;  // receive queues
  std::optional<bool> rx_pause, tx_pause;
  std::optional<std::int64_t> errors;  // since boot: receive and transmit errors
  std::optional<std::int64_t> crc_errors;
  std::optional<std::int64_t> drops;  // missed and FIFO: the host was too slow
  std::optional<std::int64_t> collisions;
  std::optional<UsbBus> usb;
  std::optional<PcieBus> pcie;
  std::vector<std::string>
      lower;  // interfaces below this one (bond members, bridge ports, the VLAN's parent)
  std::vector<std::string> addresses;
  bool operator==(const Nic&) const = default;
};

// minimum, default and maximum of a socket buffer.
struct BufferLimits {
  measure::ByteCount minimum, initial, maximum;
  bool operator==(const BufferLimits&) const = default;
};

struct TcpSettings {
  std::optional<std::string> congestion_control;
  std::vector<std::string> available_congestion_controls;
  std::optional<std::string> queue_discipline;  // net.core.default_qdisc
  std::optional<BufferLimits> receive_buffer;   // tcp_rmem
  std::optional<BufferLimits> send_buffer;      // tcp_wmem
  std::optional<measure::ByteCount>
      receive_buffer_maximum;  // net.core.rmem_max: for sockets that set their own
  std::optional<measure::ByteCount> send_buffer_maximum;
  std::optional<bool> timestamps, window_scaling, selective_acks, moderate_receive_buffer;
  std::optional<int> mtu_probing;
  bool operator==(const TcpSettings&) const = default;
};

struct Facts {
  HostFacts host;
  std::optional<RouteFacts> route;        // to the server that was asked for
  std::optional<RouteFacts> mount_route;  // to the address that the mount uses
  std::vector<Nic> nics;                  // of both stacks, and the other hardware that is up
  TcpSettings tcp;
  std::optional<filebench::Mount> mount;
  std::optional<diskbench::Storage> local_storage;  // under the user's own files
  measure::Notes surprises;                         // what a person who knows would point at, one line each
  measure::Notes unread;                            // what could not be read, and why
  bool operator==(const Facts&) const = default;
};

// What a link can carry as TCP payload.
struct LinkPayload {
  std::optional<measure::DataRate> rate, low, high;  // absent: unknown
  std::string limited_by;                            // "negotiated-speed", "usb-bus", "pcie", "unknown"
  std::string formula;                               // how the figure came about, for people
  bool operator==(const LinkPayload&) const = default;
};

constexpr const char* to_string(NicKind kind) {
  switch (kind) {
    case NicKind::ethernet:
      return "ethernet";
    case NicKind::wifi:
      return "wifi";
    case NicKind::paravirtual:
      return "paravirtual";
    case NicKind::veth:
      return "veth";
    case NicKind::tap:
      return "tap";
    case NicKind::tunnel:
      return "tunnel";
    case NicKind::bridge:
      return "bridge";
    case NicKind::bond:
      return "bond";
    case NicKind::vlan:
      return "vlan";
    case NicKind::loopback:
      return "loopback";
    case NicKind::other:
      return "other";
  }
  return "other";
}

}  // namespace nasdiag::evidence
