// nasdiag net and nasdiag serve as programs, on loopback.

#include "netbench/fake_peer.hpp"
#include "netbench/iperf3_process.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using Catch::Matchers::Contains;
using namespace nasdiag;
using namespace nasdiag::tests;
using namespace std::chrono_literals;
using test::Ended;
using test::Program;
using test::run_program;

namespace {

// With SOCK_NONBLOCK the handshake may go on. -1: refused.
int connected_socket(std::uint16_t port, int flags = 0) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int failed = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (failed == 0 || errno == EINPROGRESS) return fd;
  ::close(fd);
  return -1;
}

// `nasdiag serve` on a port of its own, ready when the constructor returns.
class Serving {
 public:
  explicit Serving(const std::vector<std::string>& more = {}) : port_(free_port()), program_(words(more)) {
    for (int i = 0; i < 500; ++i) {
      const int fd = connected_socket(port_);
      std::this_thread::sleep_for(10ms);
      if (fd < 0) continue;
      ::close(fd);
      return;
    }
  }
  std::string port() const { return std::to_string(port_); }
  Program& program() { return program_; }

 private:
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"serve", "-B", "127.0.0.1", "-p", port()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::uint16_t port_;
  Program program_;
};

Ended net(const std::string& port, std::vector<std::string> more) {
  std::vector<std::string> words{"net", "127.0.0.1", "-p", port};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

boost::json::value file_as_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return boost::json::parse(text.str());
}

// Keys that scripts written for iperf3 read.
void check_iperf3_keys(const boost::json::value& value, std::size_t streams) {
  CHECK(value.at("start").at("connected").as_array().size() == streams);
  CHECK(value.at("start").at("test_start").at("num_streams").to_number<std::size_t>() == streams);
  CHECK(value.at("intervals").at(0).at("sum").at("bits_per_second").to_number<double>() > 0);
  const boost::json::value& end = value.at("end");
  CHECK(end.at("streams").as_array().size() == streams);
  CHECK(end.at("streams").at(0).at("sender").at("bytes").to_number<double>() > 0);
  CHECK(end.at("sum_sent").at("bytes").to_number<double>() > 0);
  CHECK(end.at("sum_received").at("bits_per_second").to_number<double>() > 0);
  CHECK(end.at("cpu_utilization_percent").at("host_total").to_number<double>() > 0);
}

}  // namespace

TEST_CASE("nasdiag net prints iperf3's table, and what it means") {
  Serving serving;
  const Ended ended = net(serving.port(), {"-t", "1", "-i", "0.5", "-b", "200M"});
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out, Contains("[ ID] Interval           Transfer     Bitrate") && Contains("0.00-0.50") &&
                            Contains("sender") && Contains("receiver"));
  CHECK_THAT(ended.out, Contains("limit") && Contains("round trip"));
}

TEST_CASE("nasdiag net -J carries iperf3's keys") {
  Serving serving;
  const std::string flow = GENERATE("", "-R");
  std::vector<std::string> words{"-J", "-t", "1", "-P", "2", "-b", "100M"};
  if (!flow.empty()) words.push_back(flow);
  const Ended ended = net(serving.port(), words);
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  check_iperf3_keys(boost::json::parse(ended.out), 2);
}

TEST_CASE("nasdiag net --json saves the same, and - prints nothing else") {
  Serving serving;
  const test::TempDir folder;
  const std::string file = folder.path() / "net.json";
  const Ended saved = net(serving.port(), {"--json", file, "-n", "1M"});
  CHECK(saved.exit_code == 0);
  CHECK_THAT(saved.out, Contains("Bitrate"));
  CHECK(file_as_json(file).at("end").at("sum_received").at("bytes").to_number<double>() > 0);
  const Ended printed = net(serving.port(), {"--json", "-", "-n", "1M"});
  CHECK(printed.exit_code == 0);
  CHECK(boost::json::parse(printed.out).at("nasdiag").is_object());
}

TEST_CASE("nasdiag net says who doesn't answer, and what to do") {
  SECTION("nobody listens") {
    const Ended ended = net(std::to_string(free_port()), {"-t", "1"});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.err, Contains("nobody") || Contains("refused"));
    CHECK_THAT(ended.err, Contains("iperf3 -s"));
  }
  SECTION("no answer, as behind a firewall: a listener whose queue is full drops what comes") {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener, 0) == 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    const std::vector<int> waiting{connected_socket(ntohs(address.sin_port), SOCK_NONBLOCK),
                                   connected_socket(ntohs(address.sin_port), SOCK_NONBLOCK)};
    const Ended ended = net(std::to_string(ntohs(address.sin_port)), {"-t", "1", "--connect-timeout", "700"});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.err, Contains("firewall"));
    for (const int fd : waiting) ::close(fd);
    ::close(listener);
  }
  SECTION("something else listens") {
    FakePeer peer([](Line& line, int) { line.send("SSH-2.0-OpenSSH_9.2\r\n"), line.closed_by_peer(); });
    const Ended ended = net(std::to_string(peer.port()), {"-t", "1"});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.err, Contains("does not speak iperf3"));
  }
  SECTION("busy, for longer than the patience") {
    FakePeer peer([](Line& line, int) { line.send("\xff"), line.closed_by_peer(); });
    const Ended ended = net(std::to_string(peer.port()), {"-t", "1", "--busy-wait", "1"});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.err, Contains("busy") && Contains("another port"));
  }
  SECTION("as JSON, where the error is a key as in iperf3") {
    const Ended ended = net(std::to_string(free_port()), {"-J"});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(std::string(boost::json::parse(ended.out).at("error").as_string()), Contains("refused"));
  }
}

TEST_CASE("nasdiag net keeps the figures of a server that dies, and says so") {
  Serving serving;
  Program client({"net", "127.0.0.1", "-p", serving.port(), "-t", "20", "-b", "100M"});
  std::this_thread::sleep_for(1500ms);
  serving.program().signal(SIGKILL);
  const auto ended = client.wait(10s);
  REQUIRE(ended);
  CHECK(ended->exit_code == 1);
  CHECK_THAT(ended->out, Contains("Bitrate") && Contains("The server ended the test"));
}

TEST_CASE("nasdiag net and serve refuse nonsense as a usage error") {
  struct Wrong {
    std::vector<std::string> words;
    const char* says;
  };
  const auto wrong = GENERATE(
      Wrong{{"net"}, "no host"}, Wrong{{"net", "nas", "-t", "1", "-n", "1M"}, "only one of"},
      Wrong{{"net", "nas", "-R", "--bidir"}, "only one of"}, Wrong{{"net", "nas", "-w", "much"}, "amount"},
      Wrong{{"net", "nas", "-P", "129"}, "1 to 128"}, Wrong{{"net", "nas", "-l", "2M"}, "1 MiB"},
      Wrong{{"net", "nas", "-4", "-6"}, "only one of"}, Wrong{{"net", "nas", "-b", "fast"}, "rate"},
      Wrong{{"net", "nas", "--window-sweep", "4M..8k"}, "range"},
      Wrong{{"net", "nas", "--sweep", "--bidir"}, "one direction"},
      Wrong{{"net", "nas", "--username", "me"}, "IPERF3_PASSWORD"},
      Wrong{{"serve", "-p", "70000"}, "0 to 65535"}, Wrong{{"serve", "--max-time", "soon"}, "not a time"},
      Wrong{{"serve", "--rsa-private-key-path", "key.pem"}, "needs both"});
  const Ended ended = run_program(wrong.words);
  INFO(ended.err);
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, Contains(wrong.says));
  CHECK(ended.out.empty());
}

TEST_CASE("nasdiag serve says what it served, and ends when it should") {
  SECTION("after one test") {
    Serving serving({"--one-off"});
    CHECK(net(serving.port(), {"-n", "1M"}).exit_code == 0);
    const auto ended = serving.program().wait(5s);
    REQUIRE(ended);
    CHECK(ended->exit_code == 0);
    CHECK_THAT(ended->out, Contains("Serving on TCP port " + serving.port()) && Contains("1 stream, write"));
  }
  SECTION("with Ctrl-C") {
    Serving serving;
    serving.program().signal(SIGINT);
    const auto ended = serving.program().wait(5s);
    REQUIRE(ended);
    CHECK(ended->exit_code == 0);
  }
  SECTION("at once, where another one listens") {
    Serving serving;
    const Ended ended = run_program({"serve", "-B", "127.0.0.1", "-p", serving.port()});
    CHECK(ended.exit_code == 3);
    CHECK_THAT(ended.err, Contains("another port"));
  }
}

TEST_CASE("nasdiag serve holds clients to its limits") {
  Serving serving({"--max-rate", "50M", "--max-time", "10s"});
  CHECK_THAT(net(serving.port(), {"-t", "60"}).err, Contains("duration"));
  CHECK_THAT(net(serving.port(), {"-t", "1", "-b", "1G"}).err, Contains("rate"));
}
