// What TCP_INFO at 10 Hz and the RTT probe cost a bulk transfer over loopback: with one, the other or
// nothing, against nothing, in alternation.
//
//   watching_cost [PAIRS] [SECONDS]
//
// Prints medians over the pairs and their quartiles, for one and four streams: throughput with / without
// (target: above 0.99), and the processor time that watching takes from both ends at 1 Gbit/s, in percent of
// one processor. "nothing" against nothing is what this machine can't tell.

#include <netbench/client.hpp>
#include <netbench/server.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

struct Watched {
  const char* what;
  bool tcp_info = false;
  bool probe = false;
};
constexpr Watched kNothing{"nothing"};

struct Cost {
  double megabits = 0;
  double processors = 0;  // of both ends, in percent of one
};

Cost run(netbench::TcpOptions options, const Watched& watched) {
  options.host = "127.0.0.1";
  options.busy_wait = std::chrono::seconds(2);
  options.tcp_info_interval = std::chrono::milliseconds(watched.tcp_info ? 100 : 0);
  options.rtt_probe = watched.probe ? netbench::RttProbe::on : netbench::RttProbe::off;
  measure::NoProgress progress;
  const netbench::TcpResult result = netbench::measure_tcp(options, progress, {});
  return {result.directions.front().receiver_rate().megabits_per_second(),
          result.local_cpu.value_or(netbench::CpuUse()).total +
              result.remote_cpu.value_or(netbench::CpuUse()).total};
}

struct Pair {
  Cost with, without;
};

std::vector<Pair> pairs_of(const netbench::TcpOptions& options, const Watched& watched, int pairs) {
  std::vector<Pair> result;
  for (int i = 0; i < pairs; ++i) {
    Pair pair;
    if (i % 2 == 0) pair.with = run(options, watched);
    pair.without = run(options, kNothing);
    if (i % 2 != 0) pair.with = run(options, watched);
    result.push_back(pair);
  }
  return result;
}

template <class Value>
void print(const char* what, const char* of, const std::vector<Pair>& pairs, Value value) {
  std::vector<double> values;
  for (const Pair& pair : pairs) values.push_back(value(pair));
  std::sort(values.begin(), values.end());
  std::printf("  %-9s %s %8.4f (quartiles %.4f to %.4f)\n", what, of, values[values.size() / 2],
              values[values.size() / 4], values[values.size() * 3 / 4]);
}

void compare(std::uint16_t port, int streams, int pairs, std::chrono::milliseconds time) {
  netbench::TcpOptions options;
  options.port = port;
  options.streams = streams;
  options.time = time;
  netbench::TcpOptions paced = options;
  paced.rate = measure::DataRate::megabits_per_second(1000.0 / streams);
  std::printf("%d stream%s\n", streams, streams == 1 ? "" : "s");
  for (const Watched& watched :
       {kNothing, Watched{"TCP_INFO", true, false}, Watched{"RTT probe", false, true}}) {
    print(watched.what, "throughput with / without", pairs_of(options, watched, pairs),
          [](const Pair& pair) { return pair.with.megabits / pair.without.megabits; });
    print(watched.what, "processor at 1 Gbit/s, % ", pairs_of(paced, watched, pairs),
          [](const Pair& pair) { return pair.with.processors - pair.without.processors; });
  }
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
