// A whole session with a peer that sends anything: what follows the first two bytes goes over real sockets to
// our server, or comes from a server to our client.

#include "protocol.hpp"
#include "unique_fd.hpp"

#include <netbench/client.hpp>
#include <netbench/server.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace nasdiag;
using namespace nasdiag::netbench;
using namespace std::chrono_literals;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void send_all(const UniqueFd& fd, const std::string& bytes) {
  if (!bytes.empty() && ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return;
}

UniqueFd connection(std::uint16_t port, const std::string& bytes) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    send_all(fd, bytes);
  return fd;
}

void read_to_the_end(const UniqueFd& fd) {
  std::vector<char> buffer(65'536);
  while (::recv(fd.get(), buffer.data(), buffer.size(), 0) > 0) {
  }
}

ServerOptions impatient() {
  ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.longest_test = 1s;
  options.message_timeout = 50ms;
  options.setup_timeout = 50ms;
  return options;
}

// The control connection says what it says; streams with its cookie follow.
void talk_to_our_server(const std::string& bytes, int streams) {
  static const Server server(impatient());
  const UniqueFd control = connection(server.port(), bytes);
  std::vector<UniqueFd> opened;
  for (int i = 0; i < streams; ++i) opened.push_back(connection(server.port(), bytes.substr(0, kCookieSize)));
  ::shutdown(control.get(), SHUT_WR);
  read_to_the_end(control);
}

class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(fd_.get(), 8) != 0 ||
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::system_error(errno, std::generic_category(), "listening");
    }
    port_ = ntohs(address.sin_port);
  }
  std::uint16_t port() const { return port_; }
  UniqueFd accept() const { return UniqueFd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void close() const { ::shutdown(fd_.get(), SHUT_RDWR); }

 private:
  UniqueFd fd_;
  std::uint16_t port_ = 0;
};

void be_a_server(const Listener& listener, const std::string& bytes) {
  std::vector<UniqueFd> accepted;
  for (UniqueFd fd = listener.accept(); fd.valid(); fd = listener.accept()) {
    if (accepted.empty()) {
      send_all(fd, bytes);
      ::shutdown(fd.get(), SHUT_WR);
    }
    accepted.push_back(std::move(fd));
  }
}

void let_our_client_measure(const std::string& bytes, int flow) {
  const Listener listener;
  std::jthread peer([&] { be_a_server(listener, bytes); });
  TcpOptions options;
  options.host = "127.0.0.1";
  options.port = listener.port();
  options.time = 20ms;
  options.sample_interval = 10ms;
  options.flow = flow == 0 ? Flow::write : flow == 1 ? Flow::read : Flow::both;
  // A client that finds the server busy would ask again for half a second.
  std::stop_source enough;
  std::jthread impatience([&] {
    std::this_thread::sleep_for(40ms);
    enough.request_stop();
  });
  measure::NoProgress progress;
  try {
    measure_tcp(options, progress, enough.get_token());
  } catch (const std::system_error&) {
    // The one kind of failure that it promises.
    listener.close();
    return;
  }
  listener.close();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);  // NOLINT: bytes as text
  if (data[0] % 2 == 0) {
    talk_to_our_server(bytes, data[1] % 3);
  } else {
    let_our_client_measure(bytes, data[1] % 3);
  }
  return 0;
}
