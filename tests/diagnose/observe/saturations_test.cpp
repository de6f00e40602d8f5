#include <diagnose/observe/saturations.hpp>
#include <diagnose/report/observation_json.hpp>
#include <diagnose/report/observation_text.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using namespace nasdiag::evidence;
using measure::ByteCount;
using measure::DataRate;
using measure::Seconds;

namespace {

using Strings = std::vector<std::string>;

Strings codes(const Observation& observation) {
  Strings all;
  for (const auto& saturation : observe::saturations_in(observation)) all.push_back(saturation.code);
  return all;
}

std::string text(const Observation& observation) {
  const auto all = observe::saturations_in(observation);
  return all.empty() ? "" : all[0].text;
}

Observation idle() {
  return {.length = Seconds(5), .cores = {{.core = 0, .user = 0.2}, {.core = 1, .user = 0.1}}};
}

ProcessLoad process(const std::string& name, ProcessRole role, double cpu) {
  return {.process = 1,
          .name = name,
          .role = role,
          .cpu = cpu,
          .busiest_thread = ThreadLoad{.thread = 1, .name = name, .cpu = cpu}};
}

NicActivity nic(double received, double sent, double speed) {
  return {.name = "eth0",
          .received = DataRate::megabits_per_second(received),
          .sent = DataRate::megabits_per_second(sent),
          .speed = DataRate::megabits_per_second(speed),
          .payload = DataRate::megabits_per_second(speed * 0.9415)};
}

SocketActivity sending(double busy) {
  return {.group = "mount",
          .sockets = 1,
          .sent = DataRate::megabits_per_second(400),
          .segments_sent = 10000,
          .busy = busy,
          .receive_window_limited = 0,
          .send_buffer_limited = 0};
}

}  // namespace

TEST_CASE("nothing is saturated on an idle host, nor in an empty observation") {
  CHECK(codes(idle()).empty());
  CHECK(codes(Observation()).empty());
}

TEST_CASE("a full core names the busiest program") {
  Observation seen = idle();
  seen.cores[1].user = 0.98;
  seen.processes = {process("gvfsd-smb", ProcessRole::mount_daemon, 0.71)};
  CHECK(codes(seen) == Strings{"core"});
  CHECK(text(seen) == "core 1 was 98 % busy; the busiest program was gvfsd-smb with 71 % of a core");
  seen.cores[0].user = 0.95;
  CHECK(codes(seen) == Strings{"all-cores"});
}

TEST_CASE("a full thread is named by what it is to the mount") {
  Observation seen = idle();
  const auto [role, code] = GENERATE(table<ProcessRole, std::string>({
      {ProcessRole::mount_daemon, "mount-thread"},
      {ProcessRole::mount_transport, "mount-thread"},
      {ProcessRole::kernel_worker, "kernel-thread"},
      {ProcessRole::file_server, "server-thread"},
      {ProcessRole::own, "own-thread"},
      {ProcessRole::other, "other-thread"},
  }));
  seen.processes = {process("prog", role, 0.95)};
  CHECK(codes(seen) == Strings{code});
  seen.processes = {process("prog", role, 0.85)};
  CHECK(codes(seen).empty());
}

TEST_CASE("a program with two half-busy threads isn't full") {
  Observation seen = idle();
  seen.processes = {process("rclone", ProcessRole::mount_daemon, 1.2)};
  seen.processes[0].busiest_thread->cpu = 0.6;
  CHECK(codes(seen).empty());
}

TEST_CASE("two programs that work in turn are full together") {
  Observation seen = idle();
  seen.processes = {process("gvfsd-smb", ProcessRole::mount_daemon, 0.55),
                    process("gvfsd-fuse", ProcessRole::mount_daemon, 0.38)};
  CHECK(codes(seen) == Strings{"mount-in-turn"});
  CHECK(text(seen) ==
        "gvfsd-smb (55 %) and gvfsd-fuse (38 %) serve the mount in turn: together they took 93 % of a core");
  SECTION("but not if one of them serves another mount") {
    seen.processes[0].serves_mount = true;
    CHECK(codes(seen).empty());
  }
}

TEST_CASE("an interface is full when it carries what it can") {
  Observation seen = idle();
  seen.nics = {nic(965, 12, 1000)};
  CHECK(codes(seen) == Strings{"nic-receive"});
  CHECK(text(seen) == "eth0 received 965 Mbit/s of 1000 Mbit/s");
  seen.nics = {nic(12, 965, 1000)};
  CHECK(codes(seen) == Strings{"nic-send"});
  seen.nics = {nic(471, 471, 1000)};
  CHECK(codes(seen).empty());
  seen.nics[0].payload.reset();
  seen.nics[0].received = DataRate::megabits_per_second(50000);
  CHECK(codes(seen).empty());
  SECTION("drops, errors and pause frames") {
    seen.nics[0].drops = 5;
    seen.nics[0].crc_errors = 2;
    seen.nics[0].carrier_changes = 2;
    seen.nics[0].pause_frames_received = 5000;
    CHECK(codes(seen) == Strings{"link-lost", "nic-errors", "nic-drops", "pause-frames"});
  }
}

TEST_CASE("a disk that always has something to do") {
  Observation seen = idle();
  seen.disks = {{.name = "vda", .busy = 1.0, .in_flight = 3.14}, {.name = "vdb", .busy = 0.5}};
  CHECK(codes(seen) == Strings{"disk"});
  CHECK(text(seen) == "vda was busy 100 % with 3.1 requests in flight");
  seen.disks[0].holds_local_files = true;
  CHECK(codes(seen) == Strings{"disk"});
  seen.disks[0].holds_local_files = false;
  seen.disks[1].holds_local_files = true;
  CHECK(codes(seen) == Strings{"other-disk"});
}

TEST_CASE("what a connection waited for") {
  Observation seen = idle();
  seen.sockets = {sending(1.0)};
  CHECK(codes(seen).empty());
  SECTION("the receive window") {
    seen.sockets[0].receive_window_limited = 0.84;
    CHECK(codes(seen) == Strings{"receive-window"});
    CHECK(text(seen) == "the mount's connection waited for the receive window 84 % of the time");
  }
  SECTION("the receive window on a full link proves nothing") {
    seen.sockets[0].receive_window_limited = 1.0;
    seen.nics = {nic(12, 965, 1000)};
    CHECK(codes(seen) == Strings{"nic-send"});
  }
  SECTION("a reader that closes its window at times") {
    seen.sockets[0].receive_window_limited = 0.17;
    seen.sockets[0].minimum_peer_window = ByteCount::bytes(0);
    CHECK(codes(seen) == Strings{"window-closed"});
  }
  SECTION("its own send buffer") {
    seen.sockets[0].send_buffer_limited = 0.5;
    CHECK(codes(seen) == Strings{"send-buffer"});
  }
  SECTION("whoever feeds it") {
    seen.sockets[0].busy = 0.04;
    CHECK(codes(seen) == Strings{"sender-idle"});
  }
  SECTION("an idle connection waits for nothing") {
    seen.sockets[0] = {.group = "mount", .sockets = 1, .busy = 0};
    CHECK(codes(seen).empty());
  }
  SECTION("losses") {
    seen.sockets[0].retransmits = 400;
    CHECK(codes(seen) == Strings{"retransmits"});
    seen.sockets[0].retransmits = 200;
    CHECK(codes(seen).empty());
  }
}

TEST_CASE("a quota, a hypervisor, heat, interrupts, memory") {
  Observation seen = idle();
  SECTION("a throttled group looks idle") {
    seen.quotas = {{.group = "box", .quota_cores = 0.05, .throttled = 0.9}};
    CHECK(codes(seen) == Strings{"cpu-quota"});
    CHECK_THAT(text(seen), Catch::Contains("of 0.05 cores in 90 % of the periods"));
  }
  SECTION("steal") {
    seen.cores[0].steal = seen.cores[1].steal = 0.2;
    CHECK(codes(seen) == Strings{"steal"});
  }
  SECTION("heat") {
    seen.heat.throttle_events = 7;
    CHECK(codes(seen) == Strings{"heat"});
  }
  SECTION("soft interrupts") {
    seen.cores[1].softirq = 0.7;
    CHECK(codes(seen) == Strings{"softirq"});
  }
  SECTION("dirty pages and memory") {
    seen.memory = {.dirty_limit = ByteCount::mebibytes(64), .at_dirty_limit = 0.5};
    seen.pressure.memory_some = 0.3;
    CHECK(codes(seen) == Strings{"dirty-limit", "memory"});
  }
  SECTION("packets that the kernel had no time for") {
    seen.tcp.softnet_drops = 4;
    CHECK(codes(seen) == Strings{"softnet-drops"});
  }
}

TEST_CASE("requests that wait for a slot, and those sent again") {
  Observation seen = idle();
  seen.mount = filebench::MountCounters{.interval = Seconds(5)};
  seen.mount->nfs = filebench::NfsCounters{};
  seen.mount->nfs->transport = {.connections = 1, .sends = 1000, .backlog_sum = 500};
  seen.mount->nfs->operations = {{.name = "READ", .operations = 1000, .transmissions = 1000}};
  CHECK(codes(seen).empty());
  seen.mount->nfs->transport.backlog_sum = 12300;
  CHECK(codes(seen) == Strings{"mount-slots"});
  CHECK(text(seen) == "on average 12.3 requests waited for a free slot of the mount's only connection");
  seen.mount->nfs->transport.backlog_sum = 0;
  seen.mount->nfs->operations[0].transmissions = 1010;
  CHECK(codes(seen) == Strings{"mount-retransmits"});
}

TEST_CASE("the mount's own requests are shown with their times") {
  Observation seen = idle();
  seen.mount = filebench::MountCounters{.interval = Seconds(2)};
  seen.mount->nfs = filebench::NfsCounters{};
  seen.mount->nfs->operations = {{.name = "READ_PLUS",
                                  .operations = 200,
                                  .transmissions = 203,
                                  .queue = std::chrono::milliseconds(20),
                                  .round_trip = std::chrono::milliseconds(1000)}};
  std::string screen = report::observation_text(seen, 100);
  CHECK_THAT(screen,
             Catch::Contains("READ       100 a second, answered after 5.00 ms, waited before for 100 µs"));
  CHECK_THAT(screen, Catch::Contains("3 requests were sent again"));
  seen.mount->nfs.reset();
  seen.mount->cifs = filebench::CifsCounters{};
  seen.mount->cifs->read = ByteCount::bytes(20'000'000);
  seen.mount->cifs->requests = 40;
  screen = report::observation_text(seen, 100);
  CHECK_THAT(screen, Catch::Contains("read 10.0 MB/s, written 0.00 MB/s, 20 requests a second"));
}

TEST_CASE("the screen names the saturated thing first and cuts long lines") {
  Observation seen = idle();
  seen.nics = {nic(965, 12, 1000)};
  seen.processes = {process("sshfs", ProcessRole::mount_daemon, 0.4)};
  seen.disks = {{.name = "vda", .busy = 0.3}};
  seen.sockets = {sending(0.9)};
  seen.saturations = observe::saturations_in(seen);
  const std::string screen = report::observation_text(seen, 60);
  CHECK(screen.starts_with("FULL  eth0 received 965 Mbit/s of 1000 Mbit/s\n"));
  CHECK_THAT(screen, Catch::Contains("sshfs"));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = screen.find('\n', begin)) != std::string::npos; begin = end + 1) {
    CHECK(end - begin <= 60);
  }
  CHECK_THAT(report::observation_text(idle(), 80), Catch::StartsWith("Nothing is saturated."));
  seen.processes[0].name = "evil\x1b[2J";
  CHECK_THAT(report::observation_text(seen, 80), !Catch::Contains("\x1b"));
}
