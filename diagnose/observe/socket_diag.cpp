#include <diagnose/observe/parse.hpp>
#include <diagnose/observe/socket_diag.hpp>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <system_error>

namespace nasdiag::observe {

namespace {

constexpr unsigned established = 1;

struct Peer {
  unsigned char family = AF_UNSPEC;
  std::array<unsigned char, 16> bytes{};
  unsigned char size() const { return family == AF_INET6 ? 16 : 4; }
};

Peer parse_peer(const std::string& address) {
  Peer peer;
  const std::string plain = address.substr(0, address.find('%'));
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, plain.c_str(), peer.bytes.data()) == 1) {
      peer.family = static_cast<unsigned char>(family);
      return peer;
    }
  }
  throw std::system_error(std::make_error_code(std::errc::invalid_argument), "address " + address);
}

// The kernel's little program that selects by peer address: one condition, accept or go past the end.
std::vector<unsigned char> peer_filter(const Peer& peer) {
  const std::size_t length = sizeof(inet_diag_bc_op) + sizeof(inet_diag_hostcond) + peer.size();
  std::vector<unsigned char> program(length);
  inet_diag_bc_op op{};
  op.code = INET_DIAG_BC_D_COND;
  op.yes = static_cast<unsigned char>(length);
  op.no = static_cast<unsigned short>(length + 4);
  inet_diag_hostcond condition{};
  condition.family = peer.family;
  condition.prefix_len = static_cast<unsigned char>(peer.size() * 8);
  condition.port = -1;
  std::memcpy(program.data(), &op, sizeof op);
  std::memcpy(program.data() + sizeof op, &condition, sizeof condition);
  std::memcpy(program.data() + sizeof op + sizeof condition, peer.bytes.data(), peer.size());
  return program;
}

std::string peer_text(const inet_diag_msg& message) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(message.idiag_family, message.id.idiag_dst, text, sizeof text);
  const std::string port = std::to_string(ntohs(message.id.idiag_dport));
  return message.idiag_family == AF_INET6 ? "[" + std::string(text) + "]:" + port
                                          : std::string(text) + ":" + port;
}

std::optional<SocketState> read_socket(const nlmsghdr& answer) {
  const auto& message = *static_cast<const inet_diag_msg*>(mnl_nlmsg_get_payload(&answer));
  const auto& ends = message.id;
  SocketState socket{.cookie = std::uint64_t{message.id.idiag_cookie[1]} << 32 | message.id.idiag_cookie[0],
                     .id = {.family = message.idiag_family,
                            .source_port = ends.idiag_sport,
                            .peer_port = ends.idiag_dport,
                            .source = std::to_array(ends.idiag_src),
                            .peer = std::to_array(ends.idiag_dst),
                            .interface = ends.idiag_if},
                     .inode = message.idiag_inode,
                     .peer = peer_text(message),
                     .peer_port = ntohs(message.id.idiag_dport)};
  bool has_info = false;
  facts::for_each_attribute(answer, sizeof(inet_diag_msg), [&](const nlattr& attribute) {
    const auto* bytes = static_cast<const unsigned char*>(mnl_attr_get_payload(&attribute));
    const std::size_t size = mnl_attr_get_payload_len(&attribute);
    if (mnl_attr_get_type(&attribute) == INET_DIAG_CONG)
      socket.congestion_control = mnl_attr_get_str(&attribute);
    if (mnl_attr_get_type(&attribute) != INET_DIAG_INFO) return;
    if (const auto info = parse_tcp_info({bytes, size})) {
      socket.info = *info;
      has_info = true;
    }
  });
  if (!has_info) return std::nullopt;
  return socket;
}

inet_diag_req_v2& put_question(facts::NetlinkRequest& request, unsigned char family) {
  auto& question = request.extra<inet_diag_req_v2>();
  question.sdiag_family = family;
  question.sdiag_protocol = IPPROTO_TCP;
  question.idiag_ext = 1U << (INET_DIAG_INFO - 1) | 1U << (INET_DIAG_CONG - 1);
  question.idiag_states = 1U << established;
  return question;
}

void dump(facts::NetlinkSocket& netlink, unsigned char family, const Peer& peer,
          std::vector<SocketState>& sockets) {
  facts::NetlinkRequest request(SOCK_DIAG_BY_FAMILY, NLM_F_DUMP);
  put_question(request, family);
  const auto filter = peer_filter(peer);
  mnl_attr_put(request.header(), INET_DIAG_REQ_BYTECODE, filter.size(), filter.data());
  netlink.ask(request, [&](const nlmsghdr& answer) {
    if (auto socket = read_socket(answer)) sockets.push_back(std::move(*socket));
  });
}

}  // namespace

SocketDiag::SocketDiag() : netlink_(NETLINK_SOCK_DIAG) {}

std::vector<SocketState> SocketDiag::connections_to(const std::string& address, Families families) {
  const Peer peer = parse_peer(address);
  std::vector<SocketState> sockets;
  if (peer.family == AF_INET) dump(netlink_, AF_INET, peer, sockets);
  if (peer.family == AF_INET6 || families == Families::both) dump(netlink_, AF_INET6, peer, sockets);
  return sockets;
}

std::optional<SocketState> SocketDiag::read_again(const SocketState& socket) {
  facts::NetlinkRequest request(SOCK_DIAG_BY_FAMILY, 0);
  inet_diag_sockid& id = put_question(request, socket.id.family).id;
  id.idiag_sport = socket.id.source_port;
  id.idiag_dport = socket.id.peer_port;
  std::copy(socket.id.source.begin(), socket.id.source.end(), std::begin(id.idiag_src));
  std::copy(socket.id.peer.begin(), socket.id.peer.end(), std::begin(id.idiag_dst));
  id.idiag_if = socket.id.interface;
  id.idiag_cookie[0] = static_cast<std::uint32_t>(socket.cookie);
  id.idiag_cookie[1] = static_cast<std::uint32_t>(socket.cookie >> 32);
  std::optional<SocketState> now;
  try {
    netlink_.ask(request, [&](const nlmsghdr& answer) { now = read_socket(answer); });
  } catch (const std::system_error&) {
    return std::nullopt;  // closed meanwhile
  }
  return now;
}

}  // namespace nasdiag::observe
