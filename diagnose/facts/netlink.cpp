#include <diagnose/facts/netlink.hpp>

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <system_error>

namespace nasdiag::facts {

namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

using Answer = std::function<void(const nlmsghdr&)>;

int hand_over(const nlmsghdr* message, void* answer) {
  (*static_cast<const Answer*>(answer))(*message);
  return MNL_CB_OK;
}

using Each = std::function<void(const nlattr&)>;

int hand_attribute_over(const nlattr* attribute, void* each) {
  (*static_cast<const Each*>(each))(*attribute);
  return MNL_CB_OK;
}

// The kernel fills a dump's messages up to 32 KiB.
constexpr std::size_t answer_size = std::size_t{64} * 1024;

}  // namespace

NetlinkRequest::NetlinkRequest(int type, int flags) : header_(mnl_nlmsg_put_header(buffer_.data())) {
  header_->nlmsg_type = static_cast<std::uint16_t>(type);
  header_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
}

NetlinkSocket::NetlinkSocket(int protocol)
    : socket_(mnl_socket_open2(protocol, SOCK_CLOEXEC)), buffer_(answer_size) {
  if (socket_ == nullptr) fail("opening a netlink socket");
  if (mnl_socket_bind(socket_, 0, MNL_SOCKET_AUTOPID) < 0) {
    const int error = errno;
    mnl_socket_close(socket_);
    errno = error;
    fail("binding a netlink socket");
  }
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(mnl_socket_get_fd(socket_), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

NetlinkSocket::~NetlinkSocket() { mnl_socket_close(socket_); }

void NetlinkSocket::ask(NetlinkRequest& request, const Answer& answer) {
  nlmsghdr* header = request.header();
  header->nlmsg_seq = ++sequence_;
  const unsigned port = mnl_socket_get_portid(socket_);
  if (mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) fail("asking the kernel over netlink");
  const bool several = (header->nlmsg_flags & NLM_F_DUMP) != 0 || (header->nlmsg_flags & NLM_F_ACK) != 0;
  for (;;) {
    const ssize_t got = mnl_socket_recvfrom(socket_, buffer_.data(), buffer_.size());
    if (got < 0) fail("reading the kernel's answer over netlink");
    const int more = mnl_cb_run(buffer_.data(), static_cast<std::size_t>(got), sequence_, port, hand_over,
                                const_cast<Answer*>(&answer));
    if (more < 0) fail("the kernel's answer over netlink");
    if (more == MNL_CB_STOP || !several) return;
  }
}

void for_each_attribute(const nlmsghdr& message, std::size_t header_size, const Each& each) {
  mnl_attr_parse(&message, static_cast<unsigned>(header_size), hand_attribute_over, const_cast<Each*>(&each));
}

void for_each_nested(const nlattr& parent, const Each& each) {
  mnl_attr_parse_nested(&parent, hand_attribute_over, const_cast<Each*>(&each));
}

}  // namespace nasdiag::facts
