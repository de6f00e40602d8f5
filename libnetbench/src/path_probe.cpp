#include "path_probe.hpp"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace nasdiag::netbench {

namespace {

constexpr std::uint16_t kUnservedPort = 33'477;  // in the range that traceroute uses
constexpr int kIpv4Headers = 28;                 // IP and UDP, or IP and ICMP
constexpr int kIpv6Headers = 48;
constexpr std::size_t kEchoHeader = 8;
constexpr std::size_t kSequenceAt = 6;  // in it

void set(int fd, int level, int name, int value) { ::setsockopt(fd, level, name, &value, sizeof value); }

std::string address_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr)
    return {};
  return text.data();
}

PacketFate fate_of(const sock_extended_err& error) {
  PacketFate fate;
  if (error.ee_origin != SO_EE_ORIGIN_LOCAL) fate.from = address_of(SO_EE_OFFENDER(&error));
  const bool expired = (error.ee_origin == SO_EE_ORIGIN_ICMP && error.ee_type == ICMP_TIME_EXCEEDED) ||
                       (error.ee_origin == SO_EE_ORIGIN_ICMP6 && error.ee_type == ICMP6_TIME_EXCEEDED);
  if (error.ee_errno == ECONNREFUSED) {
    fate.kind = PacketFate::Kind::arrived;
  } else if (error.ee_errno == EMSGSIZE) {
    fate.kind = PacketFate::Kind::too_big;
    fate.mtu = static_cast<int>(error.ee_info);
  } else {
    fate.kind = expired ? PacketFate::Kind::expired : PacketFate::Kind::refused;
  }
  return fate;
}

int protocol_of(ProbePacket packet, bool v6) {
  if (packet == ProbePacket::udp) return IPPROTO_UDP;
  return v6 ? static_cast<int>(IPPROTO_ICMPV6) : static_cast<int>(IPPROTO_ICMP);
}

}  // namespace

PathProbe::PathProbe(const Endpoint& host, const Origin& origin, ProbePacket packet)
    : fd_(::socket(host.data()->sa_family, SOCK_DGRAM | SOCK_CLOEXEC,
                   protocol_of(packet, host.address().is_v6()))),
      v6_(host.address().is_v6()),
      packet_(packet) {
  if (!origin.interface.empty()) {
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_BINDTODEVICE, origin.interface.data(),
                 static_cast<socklen_t>(origin.interface.size()));
  }
  set(fd_.get(), v6_ ? IPPROTO_IPV6 : IPPROTO_IP, v6_ ? IPV6_RECVERR : IP_RECVERR, 1);
  // PROBE: never fragment, and don't let a remembered path MTU stand in the way.
  static_assert(IPV6_PMTUDISC_PROBE == IP_PMTUDISC_PROBE);
  set(fd_.get(), v6_ ? IPPROTO_IPV6 : IPPROTO_IP, v6_ ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER,
      IP_PMTUDISC_PROBE);
  Endpoint target = host;
  target.port(kUnservedPort);
  if (!fd_.valid() || ::connect(fd_.get(), target.data(), static_cast<socklen_t>(target.size())) != 0) {
    throw std::system_error(errno, std::generic_category(), "probing the way to " + address_text(host));
  }
}

std::vector<std::byte> PathProbe::next_packet(int size) {
  const int headers = v6_ ? kIpv6Headers : kIpv4Headers;
  std::vector<std::byte> packet(static_cast<std::size_t>(std::max(0, size - headers)));
  if (packet_ == ProbePacket::udp) return packet;
  packet.resize(packet.size() + kEchoHeader);  // the kernel fills in identifier and check sum
  packet[0] = std::byte{v6_ ? static_cast<std::uint8_t>(ICMP6_ECHO_REQUEST) : std::uint8_t{ICMP_ECHO}};
  ++sequence_;
  std::memcpy(packet.data() + kSequenceAt, &sequence_, sizeof sequence_);
  return packet;
}

PacketFate PathProbe::send(int size, int ttl, std::chrono::milliseconds longest) {
  while (read_error()) {
  }
  set(fd_.get(), v6_ ? IPPROTO_IPV6 : IPPROTO_IP, v6_ ? IPV6_UNICAST_HOPS : IP_TTL,
      ttl > 0 ? ttl : (v6_ ? -1 : 64));
  const std::vector<std::byte> packet = next_packet(size);
  if (::send(fd_.get(), packet.data(), packet.size(), 0) >= 0) return wait_for_fate(longest);
  if (errno == EMSGSIZE) return {.kind = PacketFate::Kind::too_big, .mtu = known_mtu(), .from = {}};
  return {.kind = PacketFate::Kind::refused, .mtu = 0, .from = {}};
}

PacketFate PathProbe::wait_for_fate(std::chrono::milliseconds longest) const {
  const Clock::time_point deadline = Clock::now() + longest;
  while (Clock::now() < deadline) {
    pollfd entry{.fd = fd_.get(), .events = POLLIN, .revents = 0};  // errors are always reported
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    ::poll(&entry, 1, static_cast<int>(left.count()));
    if (const auto fate = read_error()) return *fate;
    if (read_answer()) return {.kind = PacketFate::Kind::arrived, .mtu = 0, .from = {}};
  }
  return {};
}

// True for an answer to the last packet. Answers to earlier ones are dropped.
bool PathProbe::read_answer() const {
  std::array<std::byte, kEchoHeader> head{};
  while (::recv(fd_.get(), head.data(), head.size(), MSG_DONTWAIT) >= 0) {
    if (packet_ == ProbePacket::udp ||
        std::memcmp(head.data() + kSequenceAt, &sequence_, sizeof sequence_) == 0)
      return true;
  }
  return false;
}

std::optional<PacketFate> PathProbe::read_error() const {
  std::array<char, 512> control{};
  std::array<char, 64> payload{};
  iovec part{.iov_base = payload.data(), .iov_len = payload.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (::recvmsg(fd_.get(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return std::nullopt;
  for (cmsghdr* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
    const bool v4 = item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_RECVERR;
    const bool v6 = item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_RECVERR;
    if (v4 || v6) return fate_of(*reinterpret_cast<const sock_extended_err*>(CMSG_DATA(item)));
  }
  return PacketFate{.kind = PacketFate::Kind::refused, .mtu = 0, .from = {}};
}

int PathProbe::known_mtu() const {
  int mtu = 0;
  socklen_t size = sizeof mtu;
  ::getsockopt(fd_.get(), v6_ ? IPPROTO_IPV6 : IPPROTO_IP, v6_ ? IPV6_MTU : IP_MTU, &mtu, &size);
  return mtu;
}

}  // namespace nasdiag::netbench
