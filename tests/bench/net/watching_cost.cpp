// What TCP_INFO at 10 Hz and the RTT probe cost a bulk transfer: throughput over loopback with both, against
// neither, in alternation.
//
//   watching_cost [PAIRS] [SECONDS]
//
// Prints for one and four streams the median over the pairs of with / without (target: above 0.99), and the
// ratios' quartiles, which tell what this machine can resolve.

#include <netbench/client.hpp>
#include <netbench/server.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

using namespace nasdiag;

// The server is a process of its own, as in life. Ends when the pipe does.
std::uint16_t start_server(const int (&down)[2], const int (&up)[2]) {
  std::uint16_t port = 0;
  if (::fork() != 0) {
    ::close(down[0]);
    ::close(up[1]);
    return ::read(up[0], &port, sizeof port) == sizeof port ? port : 0;
  }
  ::close(down[1]);
  netbench::ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  const netbench::Server server(options);
  port = server.port();
  char end = 0;
  if (::write(up[1], &port, sizeof port) == sizeof port && ::read(down[0], &end, 1) >= 0) std::_Exit(0);
  std::_Exit(1);
}

double megabits(std::uint16_t port, int streams, bool watch, std::chrono::milliseconds time) {
  netbench::TcpOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.streams = streams;
  options.time = time;
  options.busy_wait = std::chrono::seconds(2);
  options.tcp_info_interval = std::chrono::milliseconds(watch ? 100 : 0);
  options.rtt_probe = watch ? netbench::RttProbe::on : netbench::RttProbe::off;
  measure::NoProgress progress;
  const netbench::TcpResult result = netbench::measure_tcp(options, progress, {});
  return result.directions.front().receiver_rate().megabits_per_second();
}

void compare(std::uint16_t port, int streams, int pairs, std::chrono::milliseconds time) {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const bool watched_first = i % 2 == 0;
    double with = megabits(port, streams, watched_first, time);
    double without = megabits(port, streams, !watched_first, time);
    if (!watched_first) std::swap(with, without);
    ratios.push_back(with / without);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%d stream%s: %.4f of the throughput without (quartiles %.4f to %.4f)\n", streams,
              streams == 1 ? "" : "s", ratios[ratios.size() / 2], ratios[ratios.size() / 4],
              ratios[ratios.size() * 3 / 4]);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 9;
  const std::chrono::milliseconds time(argc > 2 ? std::atoi(argv[2]) * 1000 : 3000);
  int down[2];
  int up[2];
  if (pairs < 1 || ::pipe(down) != 0 || ::pipe(up) != 0) return 1;
  const std::uint16_t port = start_server(down, up);
  if (port == 0) return 1;
  for (const int streams : {1, 4}) compare(port, streams, pairs, time);
  ::close(down[1]);
  ::wait(nullptr);
}
