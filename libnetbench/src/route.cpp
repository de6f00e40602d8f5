#include "route.hpp"

#include "unique_fd.hpp"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace nasdiag::netbench {

namespace {

std::span<const std::byte> address_bytes(const Endpoint& endpoint) {
  const auto* address = endpoint.data();
  if (address->sa_family == AF_INET6) {
    return std::as_bytes(std::span(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, 1));
  }
  return std::as_bytes(std::span(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 1));
}

// A request of a fixed size with attributes behind it.
struct Request {
  nlmsghdr header{};
  rtmsg route{};
  std::array<std::byte, 64> attributes{};
};

void add_attribute(Request& request, unsigned short type, std::span<const std::byte> value) {
  const std::size_t used = request.header.nlmsg_len - NLMSG_LENGTH(sizeof(rtmsg));
  const rtattr head{.rta_len = static_cast<unsigned short>(RTA_LENGTH(value.size())), .rta_type = type};
  std::memcpy(request.attributes.data() + used, &head, sizeof head);
  std::memcpy(request.attributes.data() + used + RTA_LENGTH(0), value.data(), value.size());
  request.header.nlmsg_len += static_cast<std::uint32_t>(RTA_ALIGN(head.rta_len));
}

Request make_request(const Endpoint& destination, unsigned interface) {
  Request request;
  const auto address = address_bytes(destination);
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof(rtmsg));
  request.header.nlmsg_type = RTM_GETROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.route.rtm_family = static_cast<unsigned char>(destination.data()->sa_family);
  request.route.rtm_dst_len = static_cast<unsigned char>(8 * address.size());
  add_attribute(request, RTA_DST, address);
  if (interface != 0) add_attribute(request, RTA_OIF, std::as_bytes(std::span(&interface, 1)));
  return request;
}

std::string text_of(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, address, text.data(), text.size()) != nullptr ? text.data() : "";
}

std::string interface_name(std::span<const std::byte> value) {
  std::array<char, IF_NAMESIZE> name{};
  unsigned index = 0;
  std::memcpy(&index, value.data(), std::min(value.size(), sizeof index));
  return ::if_indextoname(index, name.data()) != nullptr ? name.data() : "";
}

void add_to_route(Route& route, int family, unsigned short type, std::span<const std::byte> value) {
  if (type == RTA_GATEWAY) route.gateway = text_of(family, value.data());
  if (type == RTA_PREFSRC) route.source = text_of(family, value.data());
  if (type == RTA_OIF) route.interface = interface_name(value);
}

// The lengths in it are the kernel's, which is trusted to know its own format, but not blindly.
std::optional<Route> parse_answer(std::span<const std::byte> answer) {
  nlmsghdr header{};
  rtmsg message{};
  if (answer.size() < sizeof header + sizeof message) return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  std::memcpy(&message, answer.data() + sizeof header, sizeof message);
  if (header.nlmsg_type != RTM_NEWROUTE) return std::nullopt;
  Route route;
  route.local = message.rtm_type == RTN_LOCAL;
  std::size_t at = sizeof header + sizeof message;
  const std::size_t end = std::min<std::size_t>(answer.size(), header.nlmsg_len);
  while (at + sizeof(rtattr) <= end) {
    rtattr attribute{};
    std::memcpy(&attribute, answer.data() + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > end) break;
    add_to_route(route, message.rtm_family, attribute.rta_type,
                 answer.subspan(at + sizeof attribute, attribute.rta_len - sizeof attribute));
    at += (attribute.rta_len + 3U) & ~std::size_t{3};
  }
  return route;
}

}  // namespace

std::optional<Route> find_route(const Endpoint& destination, const std::string& interface) {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!netlink.valid()) return std::nullopt;
  const Request request =
      make_request(destination, interface.empty() ? 0 : ::if_nametoindex(interface.c_str()));
  if (::send(netlink.get(), &request, request.header.nlmsg_len, 0) < 0) return std::nullopt;
  alignas(nlmsghdr) std::array<std::byte, 4096> answer{};
  const ssize_t size = ::recv(netlink.get(), answer.data(), answer.size(), 0);
  if (size <= 0) return std::nullopt;
  return parse_answer(std::span(answer).first(static_cast<std::size_t>(size)));
}

int interface_mtu(const std::string& interface) {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
}

}  // namespace nasdiag::netbench
