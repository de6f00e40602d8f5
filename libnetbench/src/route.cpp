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

std::optional<Route> parse_answer(std::span<std::byte> answer) {
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (!NLMSG_OK(header, static_cast<unsigned>(answer.size())) || header->nlmsg_type != RTM_NEWROUTE)
    return std::nullopt;
  const auto* message = static_cast<const rtmsg*>(NLMSG_DATA(header));
  Route route;
  route.local = message->rtm_type == RTN_LOCAL;
  auto left = static_cast<int>(RTM_PAYLOAD(header));
  for (const rtattr* attribute = RTM_RTA(message); RTA_OK(attribute, left);
       attribute = RTA_NEXT(attribute, left)) {
    const void* value = RTA_DATA(attribute);
    if (attribute->rta_type == RTA_GATEWAY) route.gateway = text_of(message->rtm_family, value);
    if (attribute->rta_type == RTA_PREFSRC) route.source = text_of(message->rtm_family, value);
    if (attribute->rta_type != RTA_OIF) continue;
    std::array<char, IF_NAMESIZE> name{};
    unsigned index = 0;
    std::memcpy(&index, value, sizeof index);
    if (::if_indextoname(index, name.data()) != nullptr) route.interface = name.data();
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
