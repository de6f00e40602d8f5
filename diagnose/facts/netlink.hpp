#pragma once

// One question to the kernel over netlink, and its answers.

#include <libmnl/libmnl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace nasdiag::facts {

// Room for one request.
class NetlinkRequest {
 public:
  NetlinkRequest(int type, int flags);
  // The fixed header that follows the netlink one, zeroed.
  template <class Header>
  Header& extra() {
    return *static_cast<Header*>(mnl_nlmsg_put_extra_header(header_, sizeof(Header)));
  }
  nlmsghdr* header() { return header_; }

 private:
  alignas(nlmsghdr) std::array<char, 4096> buffer_{};
  nlmsghdr* header_;
};

class NetlinkSocket {
 public:
  // Throws std::system_error.
  explicit NetlinkSocket(int protocol);
  ~NetlinkSocket();
  NetlinkSocket(const NetlinkSocket&) = delete;
  NetlinkSocket& operator=(const NetlinkSocket&) = delete;

  // Sends the request and calls `answer` for each message that comes back, until the last. Throws
  // std::system_error with the kernel's own code if it refuses. Gives up after a second of silence.
  void ask(NetlinkRequest& request, const std::function<void(const nlmsghdr&)>& answer);

 private:
  mnl_socket* socket_;
  std::uint32_t sequence_ = 0;
  std::vector<char> buffer_;
};

// Calls `each` for every attribute of a message after its fixed header.
void for_each_attribute(const nlmsghdr& message, std::size_t header_size,
                        const std::function<void(const nlattr&)>& each);
void for_each_nested(const nlattr& parent, const std::function<void(const nlattr&)>& each);

}  // namespace nasdiag::facts
