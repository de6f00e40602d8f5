#include "diagnose/fake_tree.hpp"

#include <diagnose/facts/facts.hpp>
#include <diagnose/observe/observer.hpp>
#include <diagnose/observe/processes.hpp>
#include <diagnose/observe/socket_diag.hpp>
#include <diagnose/report/observation_json.hpp>
#include <filebench/counter_watch.hpp>

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

using namespace nasdiag;
using namespace std::chrono_literals;

namespace {

void fill_observed_tree(test::FakeTree& tree) {
  tree.file("proc/stat", "cpu 1 1 1 1\ncpu0 10 0 10 100 0 0 0 0\n")
      .file("proc/net/dev", "h\nh\neth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n")
      .file("proc/diskstats", "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n")
      .file("proc/meminfo", "MemAvailable: 100 kB\nDirty: 4 kB\nWriteback: 0 kB\n")
      .file("proc/vmstat", "nr_dirty_threshold 100\n")
      .file("proc/net/snmp", "Tcp: OutSegs\nTcp: 5\n")
      .file("proc/net/netstat", "TcpExt: PruneCalled\nTcpExt: 1\n")
      .file("proc/net/softnet_stat", "1 0 0\n")
      .file("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=5\n")
      .file("proc/pressure/io", "some avg10=0 avg60=0 avg300=0 total=5\n")
      .file("proc/pressure/memory", "some avg10=0 avg60=0 avg300=0 total=5\n")
      .file("proc/cpuinfo", "processor : 0\ncpu MHz : 1000\n")
      .file("proc/7/stat", "7 (sshfs) S 1 5 5 0 -1 64 1 2 3 4 250 50 0 0 20 0 3 0 12345 1000 10")
      .file("proc/7/task/7/stat", "7 (sshfs) S 1 5 5 0 -1 64 1 2 3 4 250 50 0 0 20 0 3 0 12345 1000 10")
      .file("sys/class/thermal/thermal_zone0/temp", "55000\n")
      .file("sys/class/hwmon/hwmon0/name", "coretemp\n")
      .file("sys/class/hwmon/hwmon0/temp1_input", "61000\n")
      .file("sys/class/hwmon/hwmon1/name", "drivetemp\n")
      .file("sys/class/hwmon/hwmon1/temp1_input", "99000\n")
      .file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5\n");
}

evidence::Observation observe_tree(const std::filesystem::path& root, std::chrono::milliseconds time = 15ms) {
  evidence::Facts facts;
  facts.route = evidence::RouteFacts{.address = "192.0.2.1", .interface = "eth0", .stack = {"eth0"}};
  observe::Observer observer(facts, {.interval = 5ms, .root = root});
  std::this_thread::sleep_for(time);
  return observer.finish();
}

// Two connected sockets on loopback.
struct Connection {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int server = -1;
  Connection() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener, generic, size) != 0 || ::listen(listener, 1) != 0 ||
        ::getsockname(listener, generic, &size) != 0 || ::connect(client, generic, size) != 0) {
      return;
    }
    server = ::accept(listener, nullptr, nullptr);
  }
  ~Connection() {
    for (const int socket : {listener, client, server}) ::close(socket);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
};

}  // namespace

TEST_CASE("a tree is observed") {
  test::FakeTree tree;
  fill_observed_tree(tree);
  const auto seen = observe_tree(tree.root(), 500ms);  // long enough on a busy machine
  CHECK(seen.samples >= 1);
  CHECK(seen.heat.highest_celsius == 61);
  CHECK(seen.memory.dirty_limit == measure::ByteCount::bytes(100 * ::sysconf(_SC_PAGESIZE)));
  CHECK(seen.tested_nic == "eth0");
  const auto sshfs = std::find_if(seen.processes.begin(), seen.processes.end(),
                                  [](const auto& process) { return process.name == "sshfs"; });
  CHECK((sshfs == seen.processes.end() || sshfs->role == evidence::ProcessRole::mount_daemon));
}

TEST_CASE("any observed file may be missing") {
  test::FakeTree tree;
  fill_observed_tree(tree);
  for (const auto& file : tree.files()) {
    CAPTURE(file);
    const std::string text = test::text_of(file);
    std::filesystem::remove(file);
    REQUIRE_NOTHROW(observe_tree(tree.root()));
    std::ofstream(file) << text;
  }
  const test::FakeTree empty;
  REQUIRE_NOTHROW(observe_tree(empty.root()));
}

TEST_CASE("an NFS mount's own counters are followed from window to window") {
  const auto mountstats = [](int reads) {
    const std::string number = std::to_string(reads);
    return "device tank:/vol/a mounted on /media/a with fstype nfs4 statvers=1.1\n"
           "\topts:\trw,vers=4.2\n\tage:\t" +
           std::to_string(100 + reads) +
           "\n"
           "\tbytes:\t0 0 0 0 " +
           std::to_string(reads * 4096) +
           " 0 0 0\n"
           "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
           "\txprt:\ttcp 0 0 2 0 0 79 79 0 84 0 8 31 4\n"
           "\tper-op statistics\n"
           "\t        READ: " +
           number + " " + number + " 0 11440 67116648 72 640 916 0\n\n";
  };
  test::FakeTree tree;
  tree.file("proc/self/mountstats", mountstats(10));
  filebench::Mount mount;
  mount.kind = filebench::MountKind::nfs;
  mount.mount_point = "/media/a";
  mount.source = "tank:/vol/a";
  filebench::CounterWatch watch(mount, tree.root());
  tree.file("proc/self/mountstats", mountstats(35));
  auto counted = watch.take();
  REQUIRE(counted.nfs);
  CHECK(counted.nfs->read_operations().operations == 25);
  CHECK(counted.nfs->read_from_server == measure::ByteCount::bytes(std::int64_t{25} * 4096));
  counted = watch.take();
  REQUIRE(counted.nfs);
  CHECK(counted.nfs->read_operations().operations == 0);
  std::filesystem::remove(tree.root() / "proc/self/mountstats");
  CHECK_FALSE(watch.take().nfs);
}

TEST_CASE("our own busy thread is seen with what it used", "[loopback]") {
  observe::Observer observer({});
  const auto end = std::chrono::steady_clock::now() + 1500ms;
  timespec before{}, after{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  volatile unsigned spin = 0;
  while (std::chrono::steady_clock::now() < end) spin = spin + 1;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const auto seen = observer.finish();
  const double used = static_cast<double>(after.tv_sec - before.tv_sec) +
                      static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
  const auto own = std::find_if(seen.processes.begin(), seen.processes.end(),
                                [](const auto& process) { return process.process == ::getpid(); });
  REQUIRE(own != seen.processes.end());
  CHECK(own->role == evidence::ProcessRole::own);
  CHECK_THAT(own->cpu, Catch::Matchers::WithinAbs(used / seen.length.count(), 0.15));
  REQUIRE_FALSE(seen.own_threads.empty());
  CHECK_FALSE(seen.course.empty());
  CHECK_FALSE(seen.cores.empty());
  CHECK(report::observation_from_json(report::to_json(seen)) == seen);
  CHECK(report::observation_from_json({}) == evidence::Observation());
}

TEST_CASE("windows follow one another", "[loopback]") {
  observe::Observer observer({}, {.interval = 20ms});
  std::this_thread::sleep_for(100ms);
  const auto first = observer.take();
  std::this_thread::sleep_for(50ms);
  const auto second = observer.finish();
  CHECK(first.length >= measure::Seconds(0.1));
  CHECK(second.length >= measure::Seconds(0.05));
  CHECK(second.length < measure::Seconds(20));
}

TEST_CASE("a connection of ours is found through the kernel", "[loopback]") {
  const Connection connection;
  REQUIRE(connection.server >= 0);
  std::vector<observe::SocketState> sockets;
  std::optional<observe::SocketDiag> diag;
  try {
    diag.emplace();
    sockets = diag->connections_to("127.0.0.1", observe::Families::own);
  } catch (const std::system_error& error) {
    WARN("SKIPPED: sock_diag isn't allowed here: " << error.what());
    return;
  }
  const observe::ProcessReader processes("/");
  const auto inodes = processes.socket_inodes(::getpid());
  const auto found = std::find_if(sockets.begin(), sockets.end(),
                                  [&](const auto& socket) { return inodes.contains(socket.inode); });
  REQUIRE(found != sockets.end());
  CHECK(found->info.segment_size > 0);
  CHECK_FALSE(found->congestion_control.empty());
  const auto again = diag->read_again(*found);
  REQUIRE(again);
  CHECK(again->cookie == found->cookie);
  CHECK(again->id == found->id);
  auto gone = *found;
  gone.id.peer_port = 1;
  CHECK_FALSE(diag->read_again(gone));
  CHECK(diag->connections_to("192.0.2.77", observe::Families::both).empty());
  CHECK_THROWS_AS(diag->connections_to("nas", observe::Families::own), std::system_error);
}

TEST_CASE("traffic of ours shows as our own connection", "[loopback]") {
  evidence::Facts facts;
  facts.route =
      evidence::RouteFacts{.address = "127.0.0.1", .interface = "lo", .local = true, .stack = {"lo"}};
  const Connection connection;
  REQUIRE(connection.server >= 0);
  observe::Observer observer(facts, {.interval = 20ms});
  const std::vector<char> block(1 << 20);
  std::vector<char> sink(1 << 20);
  std::jthread reader([&] {
    std::size_t left = 8 * block.size();
    while (left > 0) {
      const ssize_t got = ::read(connection.server, sink.data(), sink.size());
      if (got <= 0) break;
      left -= static_cast<std::size_t>(got);
    }
  });
  for (int i = 0; i < 8; ++i) {
    std::size_t sent = 0;
    while (sent < block.size()) {
      const ssize_t put = ::write(connection.client, block.data() + sent, block.size() - sent);
      REQUIRE(put > 0);
      sent += static_cast<std::size_t>(put);
    }
  }
  reader.join();
  std::this_thread::sleep_for(50ms);
  const auto seen = observer.finish();
  if (!seen.notes.empty()) {
    WARN("SKIPPED: " << seen.notes[0].text);
    return;
  }
  REQUIRE_FALSE(seen.sockets.empty());
  CHECK(seen.sockets[0].group == "own");
  const measure::ByteCount rounding = measure::ByteCount::bytes(64);
  CHECK(seen.sockets[0].sent * seen.length + rounding >= measure::ByteCount::mebibytes(8));
  REQUIRE(seen.tested_nic == "lo");
}

TEST_CASE("roles by name, and families by descent") {
  using evidence::ProcessRole;
  const auto role = [](const char* name, bool kernel = false) {
    return observe::role_by_name({.name = name, .kernel_thread = kernel});
  };
  CHECK(role("gvfsd-smb") == ProcessRole::mount_daemon);
  CHECK(role("sshfs") == ProcessRole::mount_daemon);
  CHECK(role("ssh") == ProcessRole::mount_transport);
  CHECK(role("sshd") == ProcessRole::file_server);
  CHECK(role("smbd") == ProcessRole::file_server);
  CHECK(role("cifsd", true) == ProcessRole::kernel_worker);
  CHECK(role("nfsd", true) == ProcessRole::file_server);
  CHECK(role("bash") == ProcessRole::other);
  const std::vector<observe::TaskCounters> all{
      {.id = 2, .parent = 9}, {.id = 5, .parent = 1}, {.id = 9, .parent = 5}};
  CHECK(observe::family_of(5, all) == std::set<int>{2, 5, 9});
}
