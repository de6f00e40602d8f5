#include <diagnose/facts/netlink.hpp>
#include <diagnose/facts/route.hpp>

#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <memory>
#include <thread>

namespace nasdiag::facts {

namespace {

struct NumericAddress {
  int family = AF_UNSPEC;
  std::array<unsigned char, 16> bytes{};
  std::size_t size() const { return family == AF_INET6 ? 16 : 4; }
};

std::optional<NumericAddress> parse_address(const std::string& text) {
  NumericAddress address;
  const std::string plain = text.substr(0, text.find('%'));  // a link-local scope isn't part of the address
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, plain.c_str(), address.bytes.data()) == 1) {
      address.family = family;
      return address;
    }
  }
  return std::nullopt;
}

std::string address_text(int family, const void* bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, bytes, text, sizeof text);
  return text;
}

std::string interface_name(unsigned index) {
  char name[IF_NAMESIZE] = "";
  return if_indextoname(index, name) != nullptr ? name : "";
}

void read_metrics(const nlattr& metrics, evidence::RouteFacts& route) {
  for_each_nested(metrics, [&](const nlattr& metric) {
    if (mnl_attr_get_type(&metric) == RTAX_MTU) route.mtu = static_cast<int>(mnl_attr_get_u32(&metric));
  });
}

void read_route(const nlmsghdr& message, evidence::RouteFacts& route) {
  const auto& header = *static_cast<const rtmsg*>(mnl_nlmsg_get_payload(&message));
  route.local = header.rtm_type == RTN_LOCAL;
  for_each_attribute(message, sizeof(rtmsg), [&](const nlattr& attribute) {
    switch (mnl_attr_get_type(&attribute)) {
      case RTA_OIF:
        route.interface = interface_name(mnl_attr_get_u32(&attribute));
        break;
      case RTA_PREFSRC:
        route.source = address_text(header.rtm_family, mnl_attr_get_payload(&attribute));
        break;
      case RTA_GATEWAY:
        route.gateway = address_text(header.rtm_family, mnl_attr_get_payload(&attribute));
        break;
      case RTA_VIA: {  // a gateway of the other family: two bytes of family, then the address
        const auto* bytes = static_cast<const unsigned char*>(mnl_attr_get_payload(&attribute));
        std::uint16_t family = 0;
        std::memcpy(&family, bytes, sizeof family);
        route.gateway = address_text(family, bytes + sizeof family);
        break;
      }
      case RTA_METRICS:
        read_metrics(attribute, route);
        break;
      default:
        break;
    }
  });
}

const char* neighbour_state(int state) {
  if (state & NUD_REACHABLE) return "reachable";
  if (state & NUD_PERMANENT) return "permanent";
  if (state & NUD_NOARP) return "noarp";
  if (state & (NUD_STALE | NUD_DELAY | NUD_PROBE)) return "stale";
  if (state & NUD_INCOMPLETE) return "incomplete";
  if (state & NUD_FAILED) return "failed";
  return "none";
}

// What the kernel knows of the next hop's hardware address. Nothing if it never asked.
std::optional<std::string> look_up_neighbour(const evidence::RouteFacts& route) {
  const auto hop = parse_address(route.gateway.value_or(route.address));
  if (!hop || !route.interface) return std::nullopt;
  const unsigned index = if_nametoindex(route.interface->c_str());
  std::optional<std::string> state;
  NetlinkSocket socket(NETLINK_ROUTE);
  NetlinkRequest request(RTM_GETNEIGH, NLM_F_DUMP);
  request.extra<ndmsg>().ndm_family = static_cast<unsigned char>(hop->family);
  socket.ask(request, [&](const nlmsghdr& message) {
    const auto& neighbour = *static_cast<const ndmsg*>(mnl_nlmsg_get_payload(&message));
    if (neighbour.ndm_ifindex != static_cast<int>(index)) return;
    for_each_attribute(message, sizeof(ndmsg), [&](const nlattr& attribute) {
      if (mnl_attr_get_type(&attribute) != NDA_DST || mnl_attr_get_payload_len(&attribute) != hop->size())
        return;
      if (std::memcmp(mnl_attr_get_payload(&attribute), hop->bytes.data(), hop->size()) == 0) {
        state = neighbour_state(neighbour.ndm_state);
      }
    });
  });
  return state;
}

const evidence::Nic* find(const std::vector<evidence::Nic>& nics, const std::string& name) {
  const auto found =
      std::find_if(nics.begin(), nics.end(), [&](const auto& nic) { return nic.name == name; });
  return found == nics.end() ? nullptr : &*found;
}

bool leads_out(const evidence::Nic& nic) {
  using enum evidence::NicKind;
  return nic.kind == ethernet || nic.kind == paravirtual || nic.kind == wifi || nic.kind == bond ||
         nic.kind == vlan;
}

std::vector<std::string> lower_on_the_way(const evidence::Nic& nic, const std::vector<evidence::Nic>& nics) {
  if (nic.kind != evidence::NicKind::bridge) return nic.lower;
  std::vector<std::string> out;
  for (const std::string& name : nic.lower) {
    const evidence::Nic* port = find(nics, name);
    if (port != nullptr && leads_out(*port)) out.push_back(name);
  }
  return out.empty() ? nic.lower : out;
}

std::optional<std::string> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) return std::nullopt;
  char text[NI_MAXHOST] = "";
  const int failed =
      getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  if (failed != 0) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<std::string> numeric_address(const std::string& host, std::chrono::milliseconds timeout) {
  if (host.empty()) return std::nullopt;
  if (parse_address(host)) return host;
  const auto promise = std::make_shared<std::promise<std::optional<std::string>>>();
  auto answer = promise->get_future();
  std::thread([promise, host] { promise->set_value(resolve(host)); }).detach();
  if (answer.wait_for(timeout) != std::future_status::ready) return std::nullopt;
  return answer.get();
}

evidence::RouteFacts look_up_route(const std::string& server, const std::string& address) {
  evidence::RouteFacts route;
  route.server = server;
  route.address = address;
  const auto target = parse_address(address);
  if (!target)
    throw std::system_error(std::make_error_code(std::errc::invalid_argument), "address " + address);
  NetlinkSocket socket(NETLINK_ROUTE);
  NetlinkRequest request(RTM_GETROUTE, 0);
  auto& header = request.extra<rtmsg>();
  header.rtm_family = static_cast<unsigned char>(target->family);
  header.rtm_dst_len = static_cast<unsigned char>(target->size() * 8);
  mnl_attr_put(request.header(), RTA_DST, target->size(), target->bytes.data());
  if (const std::size_t scope = address.find('%'); scope != std::string::npos) {
    mnl_attr_put_u32(request.header(), RTA_OIF, if_nametoindex(address.substr(scope + 1).c_str()));
  }
  socket.ask(request, [&](const nlmsghdr& message) { read_route(message, route); });
  route.neighbour_state = look_up_neighbour(route);
  return route;
}

std::map<std::string, std::vector<std::string>> interface_addresses() {
  std::map<std::string, std::vector<std::string>> addresses;
  NetlinkSocket socket(NETLINK_ROUTE);
  NetlinkRequest request(RTM_GETADDR, NLM_F_DUMP);
  request.extra<rtgenmsg>().rtgen_family = AF_UNSPEC;
  socket.ask(request, [&](const nlmsghdr& message) {
    const auto& header = *static_cast<const ifaddrmsg*>(mnl_nlmsg_get_payload(&message));
    std::optional<std::string> address, local;
    for_each_attribute(message, sizeof(ifaddrmsg), [&](const nlattr& attribute) {
      const int type = mnl_attr_get_type(&attribute);
      if (type != IFA_ADDRESS && type != IFA_LOCAL) return;
      (type == IFA_LOCAL ? local : address) =
          address_text(header.ifa_family, mnl_attr_get_payload(&attribute));
    });
    if (local) address = local;  // of a point-to-point link IFA_ADDRESS is the other end
    if (address) {
      addresses[interface_name(header.ifa_index)].push_back(*address + "/" +
                                                            std::to_string(header.ifa_prefixlen));
    }
  });
  return addresses;
}

void describe_stack(evidence::RouteFacts& route, const std::vector<evidence::Nic>& nics) {
  route.stack.clear();
  if (!route.interface) return;
  route.stack.push_back(*route.interface);
  for (std::size_t at = 0; at < route.stack.size(); ++at) {
    const evidence::Nic* nic = find(nics, route.stack[at]);
    if (nic == nullptr) continue;
    route.tunnel |= nic->kind == evidence::NicKind::tunnel;
    route.wifi |= nic->kind == evidence::NicKind::wifi;
    for (const std::string& lower : lower_on_the_way(*nic, nics)) {
      if (std::find(route.stack.begin(), route.stack.end(), lower) == route.stack.end())
        route.stack.push_back(lower);
    }
  }
}

}  // namespace nasdiag::facts
