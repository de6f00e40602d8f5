#include <diagnose/observe/course.hpp>
#include <diagnose/observe/model.hpp>
#include <diagnose/observe/socket_ledger.hpp>
#include <diagnose/observe/task_ledger.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using namespace nasdiag::observe;
using Catch::Matchers::WithinRel;
using measure::DataRate;
using std::chrono::microseconds;

namespace {

Sample first() {
  Sample sample;
  sample.at = Seconds(100);
  sample.cores = {{.core = 0, .user = 100, .system = 100, .idle = 800}, {.core = 1, .idle = 1000}};
  sample.nics = {{.name = "eth0", .received_bytes = 1000, .sent_bytes = 500}};
  sample.disks = {{.name = "vda", .reads = 10, .sectors_read = 100, .read_ms = 20}};
  sample.net = {{"Tcp.OutSegs", 1000}, {"Tcp.RetransSegs", 5}};
  sample.softnet = SoftnetCounters{1, 2};
  sample.io_pressure = {.some = microseconds(0), .full = microseconds(0)};
  sample.quotas = {{.group = "box", .quota_cores = 0.5, .periods = 10, .throttled = 1}};
  sample.heat.throttle_events = 3;
  return sample;
}

Sample two_seconds_later() {
  Sample sample = first();
  sample.at = Seconds(102);
  sample.cores = {{.core = 0, .user = 250, .system = 120, .idle = 820, .softirq = 10},
                  {.core = 1, .idle = 1190, .iowait = 10}};
  sample.nics = {{.name = "eth0", .received_bytes = 1000 + 250'000'000, .sent_bytes = 500, .sent_drops = 2},
                 {.name = "new", .received_bytes = 5}};
  sample.disks = {{.name = "vda",
                   .reads = 110,
                   .sectors_read = 100 + 2048,
                   .read_ms = 120,
                   .busy_ms = 1000,
                   .weighted_ms = 3000}};
  sample.net = {{"Tcp.OutSegs", 3000}, {"Tcp.RetransSegs", 9}};
  sample.softnet = SoftnetCounters{1, 7};
  sample.io_pressure = {.some = microseconds(500'000), .full = microseconds(100'000)};
  sample.quotas = {{.group = "box", .quota_cores = 0.5, .periods = 30, .throttled = 16}};
  sample.heat.throttle_events = 4;
  return sample;
}

TaskCounters task(int id, std::int64_t ticks, std::int64_t start = 0) {
  return {.id = id, .name = "t" + std::to_string(id), .user_ticks = ticks, .start_ticks = start};
}

}  // namespace

TEST_CASE("two samples become rates") {
  const auto seen = rates_between(first(), two_seconds_later());
  CHECK(seen.length == Seconds(2));
  REQUIRE(seen.cores.size() == 2);
  CHECK_THAT(seen.cores[0].user, WithinRel(0.75));
  CHECK_THAT(seen.cores[0].busy(), WithinRel(0.9));
  CHECK_THAT(seen.cores[1].iowait, WithinRel(0.05));
  CHECK(seen.cores[1].busy() == 0);
  REQUIRE(seen.nics.size() == 1);
  CHECK(seen.nics[0].received == DataRate::megabits_per_second(1000));
  CHECK(seen.nics[0].drops == 2);
  REQUIRE(seen.disks.size() == 1);
  CHECK_THAT(seen.disks[0].busy, WithinRel(0.5));
  CHECK_THAT(seen.disks[0].in_flight, WithinRel(1.5));
  CHECK(seen.disks[0].read == DataRate::bytes_per_second(512 * 1024));
  REQUIRE(seen.disks[0].read_latency);
  CHECK_THAT(seen.disks[0].read_latency->count(), WithinRel(0.001));
  CHECK_FALSE(seen.disks[0].write_latency);
  CHECK(seen.tcp.segments_sent == 2000);
  CHECK(seen.tcp.retransmits == 4);
  CHECK_FALSE(seen.tcp.timeouts);
  CHECK(seen.tcp.softnet_squeezes == 5);
  CHECK(seen.pressure.io_some == 0.25);
  CHECK(seen.pressure.io_full == 0.05);
  CHECK_FALSE(seen.pressure.cpu_some);
  REQUIRE(seen.quotas.size() == 1);
  CHECK_THAT(seen.quotas[0].throttled, WithinRel(0.75));
  CHECK(seen.heat.throttle_events == 1);
}

TEST_CASE("no time, and counters that ran backwards, give no rates") {
  CHECK(rates_between(first(), first()).cores.empty());
  const auto backwards = rates_between(two_seconds_later(), [] {
    Sample sample = first();
    sample.at = Seconds(200);
    return sample;
  }());
  CHECK(backwards.nics.empty());
  CHECK(backwards.cores.empty());
  CHECK_FALSE(backwards.tcp.segments_sent);
}

TEST_CASE("peaks are the highest of the parts") {
  auto whole = rates_between(first(), two_seconds_later());
  auto part = whole;
  part.nics[0].peak_received = DataRate::megabits_per_second(2000);
  part.cores[1].peak_busy = 0.8;
  raise_peaks(whole, part);
  CHECK(whole.nics[0].peak_received == DataRate::megabits_per_second(2000));
  CHECK(whole.cores[1].peak_busy == 0.8);
  CHECK_THAT(whole.cores[0].peak_busy, WithinRel(0.9));
}

TEST_CASE("a day of stretches is kept in a bounded number, with nothing lost") {
  Course course(240);
  double bits = 0;
  constexpr int day = 24 * 3600 * 10;
  for (int i = 0; i < day; ++i) {
    const DataRate rate = DataRate::megabits_per_second(i % 7);
    bits += rate.bits_per_second() * 0.1;
    course.add({.start = Seconds(i * 0.1), .length = Seconds(0.1), .received = rate});
    if (i % 10007 == 0) REQUIRE(course.stretches().size() <= 241);
  }
  const auto kept = course.stretches();
  CHECK(kept.size() <= 241);
  CHECK(kept.size() >= 120);
  double kept_bits = 0;
  Seconds end{0};
  for (const auto& stretch : kept) {
    CHECK_THAT(stretch.start.count(), Catch::Matchers::WithinAbs(end.count(), 1e-3));
    end = stretch.start + stretch.length;
    kept_bits += stretch.received.bits_per_second() * stretch.length.count();
  }
  CHECK_THAT(end.count(), WithinRel(86400.0, 1e-9));
  CHECK_THAT(kept_bits, WithinRel(bits, 1e-9));
}

TEST_CASE("an odd number of stretches is halved without loss") {
  Course course(5);
  for (int i = 0; i < 11; ++i) course.add({.start = Seconds(i), .length = Seconds(1), .busiest_core = 0.5});
  Seconds sum{0};
  for (const auto& stretch : course.stretches()) sum += stretch.length;
  CHECK_THAT(sum.count(), WithinRel(11.0));
  course.clear();
  CHECK(course.stretches().empty());
}

TEST_CASE("processes are charged for what they used within the window") {
  TaskLedger ledger(100);
  ledger.record(Seconds(10), 1, task(1, 5000));
  ledger.record(Seconds(10), 2, task(2, 10));
  ledger.start(Seconds(10), 1000);
  CHECK_THAT(ledger.record(Seconds(11), 1, task(1, 5090)), WithinRel(0.9));
  ledger.record(Seconds(11), 3, task(3, 40, 1050));  // began within the window
  ledger.record(Seconds(11), 4, task(4, 40, 900));   // was only overlooked before
  ledger.record(Seconds(12), 1, task(1, 5100));
  const auto loads = ledger.loads(Seconds(12));
  REQUIRE(loads.size() == 4);
  CHECK(loads[0].task.id == 1);
  CHECK_THAT(loads[0].cpu, WithinRel(0.5));
  CHECK_THAT(loads[0].peak_cpu, WithinRel(0.9));
  CHECK(loads[1].task.id == 3);
  CHECK_THAT(loads[1].cpu, WithinRel(0.2));
  CHECK(loads[2].cpu == 0);
}

TEST_CASE("a number used again is another process, and the ended one still counts") {
  TaskLedger ledger(100);
  ledger.start(Seconds(0), 0);
  ledger.record(Seconds(1), 7, task(7, 100, 10));
  ledger.record(Seconds(2), 7, task(7, 50, 150));
  const auto loads = ledger.loads(Seconds(2));
  REQUIRE(loads.size() == 2);
  CHECK_THAT(loads[0].cpu, WithinRel(0.5));
  CHECK_THAT(loads[1].cpu, WithinRel(0.25));
  ledger.start(Seconds(2), 200);
  CHECK(ledger.size() == 1);
}

TEST_CASE("a day of short processes stays bounded") {
  TaskLedger ledger(100);
  ledger.start(Seconds(0), 0);
  for (int i = 1; i <= 20000; ++i) ledger.record(Seconds(i), i, task(i, i % 100, i));
  CHECK(ledger.size() <= 2049);
  CHECK(ledger.loads(Seconds(20000))[0].task.user_ticks == 99);
}

TEST_CASE("connections are summed by group, and the busiest one tells what limits") {
  SocketLedger ledger;
  SocketState mount{
      .cookie = 1, .inode = 5, .peer = "192.0.2.5:2049", .peer_port = 2049, .congestion_control = "cubic"};
  mount.info = {.segment_size = 1448,
                .congestion_window = 10,
                .total_retransmits = 2,
                .rtt = microseconds(1000),
                .busy = microseconds(0),
                .receive_window_limited = microseconds(0),
                .acknowledged = ByteCount::bytes(1000),
                .not_sent = ByteCount::bytes(1),
                .peer_window = ByteCount::bytes(9000),
                .data_segments_sent = 100};
  ledger.record(Seconds(1), SocketGroup::mount, true, mount);
  ledger.start(Seconds(1));
  mount.info.acknowledged = ByteCount::bytes(1000 + 125'000'000);
  mount.info.busy = microseconds(1'000'000);
  mount.info.receive_window_limited = microseconds(840'000);
  mount.info.total_retransmits = 12;
  mount.info.data_segments_sent = 1100;
  mount.info.peer_window = ByteCount::bytes(0);
  mount.info.rtt = microseconds(3000);
  ledger.record(Seconds(2), SocketGroup::mount, true, mount);
  SocketState own{.cookie = 2, .peer = "192.0.2.5:5201"};
  own.info.received = ByteCount::bytes(1000);
  ledger.record(Seconds(2), SocketGroup::own, false, own);
  const auto activity = ledger.activity(Seconds(2));
  REQUIRE(activity.size() == 2);
  CHECK(activity[0].group == "mount");
  CHECK(activity[0].kernel_owned);
  CHECK(activity[0].sent == DataRate::megabits_per_second(1000));
  CHECK(activity[0].receive_window_limited == 0.84);
  CHECK(activity[0].retransmits == 10);
  CHECK(activity[0].segments_sent == 1000);
  CHECK(activity[0].minimum_peer_window == ByteCount());
  CHECK(activity[0].rtt == Seconds(0.003));
  CHECK(activity[1].group == "own");
  CHECK(activity[1].received == DataRate::bytes_per_second(1000));
}
