#pragma once

// Does a throughput equal what an Ethernet of a standard speed carries? Then that is the link in the way,
// whatever is printed on the adapters. Pure functions.

#include <measure/quantity.hpp>

#include <optional>
#include <string>

namespace nasdiag::netbench {

enum class IpVersion { v4, v6 };

// Payload share of the line for full TCP segments with timestamps: (MTU - 52) / (MTU + 38) for IPv4, (MTU -
// 72) / (MTU + 38) for IPv6. The 38 bytes are preamble, header, check sum and gap.
double ethernet_payload_share(int mtu, IpVersion version = IpVersion::v4);
measure::DataRate ethernet_payload(measure::DataRate line, int mtu, IpVersion version = IpVersion::v4);

struct Plateau {
  std::string name;           // "5GBASE-T"
  measure::DataRate line;     // 5 Gbit/s
  measure::DataRate payload;  // what it carries at this MTU
  double deviation = 0;       // throughput / payload - 1
  bool operator==(const Plateau&) const = default;
};

struct PlateauInput {
  measure::DataRate throughput;
  int mtu = 1500;
  IpVersion version = IpVersion::v4;
  std::optional<double> retransmitted_share;           // of the segments
  std::optional<measure::DataRate> with_more_streams;  // throughput of the same way with several streams
};

// Nothing unless the throughput is within 1.5 % of a payload rate, retransmits are few (below 3 % of the
// segments, which leave a full link full) and more streams give the same figure.
std::optional<Plateau> recognise_plateau(const PlateauInput& input);

}  // namespace nasdiag::netbench
