#pragma once

// What to measure over TCP, and with which peer. Everything has a default that suits a NAS in the house.

#include <measure/quantity.hpp>
#include <measure/steady_state.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace nasdiag::netbench {

enum class Flow {
  write,
  read,
  both
};  // write = client to server; both = at once, on connections of their own
enum class AddressFamily { any, ipv4, ipv6 };
enum class ZeroCopy { automatic, on, off };  // how the sender hands its blocks to the kernel
enum class Receive { copy, discard };        // copy = into user memory; discard = dropped in the kernel
enum class Nagle { on, off };                // off = TCP_NODELAY
enum class RttProbe { off, on };     // a connection of its own that measures RTT before and under load
enum class Padding { oaep, pkcs1 };  // of the login; iperf3 before 3.17 speaks pkcs1

// For an iperf3 server that asks for a login.
struct Credentials {
  std::string user;
  std::string password;
  std::string public_key_pem;  // the server's key, as text
  Padding padding = Padding::oaep;
  bool operator==(const Credentials&) const = default;
};

struct TcpOptions {
  std::string host;  // name, IPv4 or IPv6 address, link-local with "%interface"
  std::uint16_t port = 5201;

  Flow flow = Flow::write;
  int streams = 1;  // per direction, 1 to 128

  // How long. The test ends at the first of: time over, amount or blocks sent, precise enough, stopped.
  // A time of zero with an amount or a number of blocks means no limit in time.
  std::chrono::milliseconds time{10'000};
  std::chrono::milliseconds omit{
      0};  // moved but not counted before `time` begins; slow start is found without it
  std::optional<measure::ByteCount> amount;
  std::optional<std::int64_t> blocks;
  std::optional<measure::StopRule> precision;  // end as soon as the throughput is known this well

  // How.
  std::optional<measure::ByteCount> block_size;  // none: what is fastest here
  std::optional<measure::ByteCount> window;      // socket buffers at both ends; none: the kernel adapts them
  std::optional<int> segment_size;               // MSS
  Nagle nagle = Nagle::on;
  std::optional<std::string> congestion;  // name of the congestion control, at both ends
  std::optional<measure::DataRate> rate;  // per stream, paced by the sender
  ZeroCopy zero_copy = ZeroCopy::automatic;
  Receive receive = Receive::copy;
  std::optional<int> type_of_service;

  // From where.
  AddressFamily family = AddressFamily::any;
  std::string bind_address;    // empty: the kernel chooses
  std::string bind_interface;  // empty: the routing table chooses

  // Bounds. A busy server is asked again until busy_wait is over.
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds busy_wait{0};

  // What else to watch. An interval of zero turns TCP_INFO off.
  std::chrono::milliseconds tcp_info_interval{100};
  std::chrono::milliseconds sample_interval{100};
  RttProbe rtt_probe = RttProbe::off;

  std::optional<Credentials> credentials;
  std::string title;  // shown in the server's log
  bool operator==(const TcpOptions&) const = default;
};

}  // namespace nasdiag::netbench
