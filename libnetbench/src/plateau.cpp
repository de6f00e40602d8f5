#include <netbench/plateau.hpp>

#include <array>
#include <cmath>

namespace nasdiag::netbench {

namespace {

using measure::DataRate;

struct Ethernet {
  const char* name;
  double megabits;
};

constexpr std::array kEthernets{
    Ethernet{"10BASE-T", 10},       Ethernet{"100BASE-TX", 100},    Ethernet{"gigabit", 1'000},
    Ethernet{"2.5GBASE-T", 2'500},  Ethernet{"5GBASE-T", 5'000},    Ethernet{"10-gigabit", 10'000},
    Ethernet{"25-gigabit", 25'000}, Ethernet{"40-gigabit", 40'000}, Ethernet{"100-gigabit", 100'000}};

constexpr double kTolerance = 0.015;           // the acknowledgements of the other direction and rounding
constexpr double kHarmlessRetransmits = 0.03;  // 2 % were seen on a full link
constexpr double kSameRate = 0.05;             // several streams against one

}  // namespace

double ethernet_payload_share(int mtu, IpVersion version) {
  constexpr int kFraming = 38;    // preamble 8, header 14, check sum 4, gap 12
  constexpr int kTcpHeader = 32;  // with timestamps
  const int ip_header = version == IpVersion::v4 ? 20 : 40;
  return static_cast<double>(mtu - ip_header - kTcpHeader) / static_cast<double>(mtu + kFraming);
}

DataRate ethernet_payload(DataRate line, int mtu, IpVersion version) {
  return line * ethernet_payload_share(mtu, version);
}

std::optional<Plateau> recognise_plateau(const PlateauInput& input) {
  if (input.retransmitted_share.value_or(0) > kHarmlessRetransmits) return std::nullopt;
  if (input.with_more_streams && std::abs(*input.with_more_streams / input.throughput - 1) > kSameRate)
    return std::nullopt;
  for (const Ethernet& ethernet : kEthernets) {
    const DataRate line = DataRate::megabits_per_second(ethernet.megabits);
    const DataRate payload = ethernet_payload(line, input.mtu, input.version);
    const double deviation = input.throughput / payload - 1;
    if (std::abs(deviation) <= kTolerance) {
      return Plateau{.name = ethernet.name, .line = line, .payload = payload, .deviation = deviation};
    }
  }
  return std::nullopt;
}

}  // namespace nasdiag::netbench
