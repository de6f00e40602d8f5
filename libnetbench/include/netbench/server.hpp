#pragma once

// An iperf3 server: serves one test at a time to any iperf3 client from 3.1.3 on, answers "busy" to others
// meanwhile, and survives what a broken or hostile client sends.

#include <measure/quantity.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace nasdiag::netbench {

struct ServedTest {
  std::string peer;     // address and port
  std::string outcome;  // "done", or one sentence on what went wrong
  int streams = 0;
  bool reverse = false;
  bool bidirectional = false;
  measure::ByteCount sent;
  measure::ByteCount received;
  measure::Seconds duration{0};
};

struct ServerOptions {
  std::string bind_address;   // empty: every address, IPv6 and IPv4
  std::uint16_t port = 5201;  // 0: any free one, see Server::port()
  std::chrono::seconds longest_test{3600};
  std::optional<measure::DataRate>
      highest_rate;  // per test, asked for; also the cap where the client asks for none
  std::chrono::milliseconds message_timeout{10'000};  // for each message of a client
  std::chrono::milliseconds setup_timeout{30'000};    // until all streams are there
  // Asks for a login: the private key (PEM text) and the text of a file of "user,sha256" lines.
  std::string private_key_pem;
  std::string authorized_users;
  // Called from the server's thread when a test ended, well or badly. Must not throw.
  std::function<void(const ServedTest&)> on_test;
};

class Server {
 public:
  // Listens when the constructor returns. Throws std::system_error if it can't.
  explicit Server(ServerOptions options);
  // Ends a running test (the client is told) and joins all threads; within a second.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nasdiag::netbench
