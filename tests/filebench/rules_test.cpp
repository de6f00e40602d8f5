#include "mount_counters.hpp"
#include "process_times.hpp"
#include "request_fit.hpp"
#include "text.hpp"
#include "transfer_judge.hpp"
#include "write_budget.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace fb = nasdiag::filebench;
using fb::ByteCount;
using fb::DataRate;
using fb::Outcome;
using fb::Seconds;
using fb::TransferResult;

namespace {

bool noted(const TransferResult& result, const std::string& code) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const auto& note) { return note.code == code; });
}

TransferResult run_at(double megabytes_per_second) {
  TransferResult result{.outcome = Outcome::ok, .amount = ByteCount::bytes(1'000'000'000)};
  result.rate = DataRate::megabytes_per_second(megabytes_per_second);
  result.window = result.amount / result.rate;
  return result;
}

TransferResult network_read(std::int64_t wire_bytes) {
  TransferResult result = run_at(100);
  result.kind = fb::TransferKind::read_back;
  result.direction = fb::Direction::read;
  result.cache = fb::CacheState::server_warm;
  result.counters = fb::MountCounters{
      .interfaces = {
          {.name = "eth0", .received = ByteCount::bytes(wire_bytes), .sent = ByteCount::bytes(1000)}}};
  return result;
}

}  // namespace

TEST_CASE("the end of a flush is foreseen from what has drained") {
  const auto end = fb::expected_end(
      {.elapsed = Seconds(1), .accepted = ByteCount::mebibytes(1000), .unwritten = ByteCount::mebibytes(900)},
      std::nullopt);
  REQUIRE(end);
  CHECK(end->count() == Approx(10));
  const fb::DrainState nothing{
      .elapsed = Seconds(1), .accepted = ByteCount::mebibytes(1000), .unwritten = ByteCount::mebibytes(1000)};
  CHECK_FALSE(fb::expected_end(nothing, std::nullopt));
  const auto known = fb::expected_end(nothing, DataRate::bytes_per_second(1024.0 * 1024 * 100));
  REQUIRE(known);
  CHECK(known->count() == Approx(11));
}

TEST_CASE("the median run is shown, with the figures of all") {
  const auto result = fb::combine_runs({run_at(100), run_at(120), run_at(110)});
  CHECK(result.rate.megabytes_per_second() == Approx(110));
  REQUIRE(result.runs.size() == 3);
  CHECK(result.runs[1].rate.megabytes_per_second() == Approx(120));
  CHECK(result.run_rates.count == 3);
  CHECK_FALSE(noted(result, "slower-every-run"));
}

TEST_CASE("a decline from run to run is said") {
  const auto falling = fb::combine_runs({run_at(120), run_at(110), run_at(95)});
  CHECK(noted(falling, "slower-every-run"));
  REQUIRE(falling.change_over_runs);
  CHECK(*falling.change_over_runs < -0.15);
  CHECK(noted(fb::combine_runs({run_at(90), run_at(100), run_at(120)}), "faster-every-run"));
}

TEST_CASE("a run that failed ends the series and doesn't hide the runs before") {
  TransferResult hung = run_at(1);
  hung.outcome = Outcome::hung;
  hung.failure = "The mount stopped answering after 3.0 MB.";
  const auto result = fb::combine_runs({run_at(100), hung});
  CHECK(result.outcome == Outcome::hung);
  CHECK(result.failure == hung.failure);
  CHECK(result.rate.megabytes_per_second() == Approx(100));
  CHECK(result.runs.size() == 2);
}

TEST_CASE("a read that the network didn't carry came from a cache on this machine") {
  const fb::Mount mount{.kind = fb::MountKind::rclone, .protocol = "rclone", .address = "192.0.2.5"};
  auto cached = network_read(1'000'000);
  fb::judge_transfer(cached, mount, std::nullopt);
  CHECK(cached.cache == fb::CacheState::warm);
  CHECK(noted(cached, "served-from-client"));
  auto honest = network_read(1'050'000'000);
  fb::judge_transfer(honest, mount, std::nullopt);
  CHECK(honest.cache == fb::CacheState::server_warm);
  CHECK(honest.cache_check == fb::CacheCheck::wire_bytes);
  CHECK(honest.notes.empty());
}

TEST_CASE("a write that had not left this machine is no durable rate") {
  const fb::Mount mount{.kind = fb::MountKind::davfs, .protocol = "webdav", .address = "192.0.2.5"};
  TransferResult write = run_at(900);
  write.counters = fb::MountCounters{.interfaces = {{.name = "eth0", .sent = ByteCount::mebibytes(50)}}};
  fb::judge_transfer(write, mount, std::nullopt);
  CHECK(noted(write, "not-all-sent"));

  TransferResult unknown = run_at(900);
  fb::judge_transfer(unknown, {.kind = fb::MountKind::davfs, .protocol = "webdav"}, std::nullopt);
  CHECK(noted(unknown, "flush-no-proof"));
}

TEST_CASE("an interface on which nothing moved is not one that couldn't be asked") {
  const auto at = [](std::int64_t received, std::int64_t sent) {
    fb::CounterSnapshot snapshot;
    snapshot.interfaces = {
        {.name = "lo", .received = ByteCount::bytes(received), .sent = ByteCount::bytes(received)},
        {.name = "eth0", .received = ByteCount::bytes(5000), .sent = ByteCount::bytes(sent)},
        {.name = "tunl0"}};
    return snapshot;
  };
  const auto quiet = fb::difference(at(0, 5000), at(1'000'000'000, 5000));
  REQUIRE(quiet.interfaces.size() == 1);
  CHECK(quiet.interfaces[0] == fb::InterfaceBytes{.name = "eth0"});

  const fb::Mount mount{.kind = fb::MountKind::davfs, .protocol = "webdav", .address = "192.0.2.5"};
  TransferResult write = run_at(900);
  write.counters = quiet;
  CHECK(fb::share_on_the_wire(write, mount) == 0.0);
  fb::judge_transfer(write, mount, std::nullopt);
  CHECK(noted(write, "not-all-sent"));
  CHECK_FALSE(noted(write, "flush-no-proof"));

  TransferResult read = network_read(0);
  read.counters = quiet;
  fb::judge_transfer(read, mount, std::nullopt);
  CHECK(read.cache == fb::CacheState::warm);
}

TEST_CASE("the server's own counters come before those of the interfaces") {
  const fb::Mount mount{.kind = fb::MountKind::nfs, .protocol = "nfs4.2", .address = "192.0.2.5"};
  auto read = network_read(2'000'000'000);
  read.counters->nfs = fb::NfsCounters{.read_from_server = ByteCount::bytes(10)};
  fb::judge_transfer(read, mount, std::nullopt);
  CHECK(noted(read, "served-from-client"));
}

TEST_CASE("no rate above the link is believed") {
  const fb::Mount mount{.kind = fb::MountKind::sshfs, .protocol = "sshfs"};
  TransferResult write = run_at(808);
  fb::judge_transfer(write, mount, DataRate::megabits_per_second(5000));
  CHECK(noted(write, "faster-than-link"));
  TransferResult possible = run_at(580);
  fb::judge_transfer(possible, mount, DataRate::megabits_per_second(5000));
  CHECK_FALSE(noted(possible, "faster-than-link"));
}

TEST_CASE("a rate above the link stands if the network carried it in that time") {
  const fb::Mount mount{.kind = fb::MountKind::sshfs, .protocol = "sshfs", .address = "192.0.2.5"};
  auto read = network_read(1'050'000'000);  // in 10 s, over a link that says it is one of 100 Mbit/s
  read.counters->interval = read.window + Seconds(1);
  fb::judge_transfer(read, mount, DataRate::megabits_per_second(100));
  CHECK(noted(read, "link-speed-wrong"));
  CHECK_FALSE(noted(read, "faster-than-link"));
  CHECK(read.cache == fb::CacheState::server_warm);
  // Counted over a longer time, in which the link could have carried it at its own rate: nothing is proved.
  auto slowly = network_read(1'050'000'000);
  slowly.counters->interval = Seconds(100);
  fb::judge_transfer(slowly, mount, DataRate::megabits_per_second(100));
  CHECK(noted(slowly, "faster-than-link"));
}

TEST_CASE("what a bridge and the adapter under it both count crossed the network once") {
  const fb::Mount mount{.kind = fb::MountKind::rclone, .protocol = "rclone", .address = "192.0.2.5"};
  const auto half = ByteCount::bytes(500'000'000);
  auto read = network_read(0);
  read.counters->interfaces = {{.name = "br0", .received = half},
                               {.name = "enp3s0", .received = half, .hardware = true}};
  CHECK(fb::share_on_the_wire(read, mount) == Approx(0.5));
  // Two adapters of one mount (SMB multichannel) are added.
  read.counters->interfaces = {{.name = "enp3s0", .received = half, .hardware = true},
                               {.name = "enp4s0", .received = half, .hardware = true}};
  CHECK(fb::share_on_the_wire(read, mount) == Approx(1.0));
  // No adapter to be seen, as in a container.
  read.counters->interfaces = {{.name = "eth0", .received = half}, {.name = "br0", .received = half}};
  CHECK(fb::share_on_the_wire(read, mount) == Approx(0.5));
}

TEST_CASE("a local disk has no server to be warm") {
  auto read = network_read(0);
  read.counters.reset();
  fb::judge_transfer(read, {.kind = fb::MountKind::local}, std::nullopt);
  CHECK(read.cache == fb::CacheState::cold);
}

TEST_CASE("time per request is split into latency and bandwidth") {
  std::vector<fb::RequestPoint> points;
  for (const std::int64_t size : {4096, 65536, 1048576, 4194304})
    points.push_back(
        {.size = ByteCount::bytes(size), .mean_time = Seconds(0.0003 + static_cast<double>(size) / 118e6)});
  const auto fit = fb::fit_requests(points);
  REQUIRE(fit);
  CHECK(fit->first.count() == Approx(0.0003).epsilon(0.01));
  CHECK(fit->second.megabytes_per_second() == Approx(118).epsilon(0.01));
  CHECK_FALSE(fb::fit_requests({points[0], points[1]}));
}

TEST_CASE("a process may have brackets and blanks in its name") {
  const auto times = fb::parse_process_stat(
      "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 250 150 0 0 20 0 3 0 987654 1000 10", 100);
  REQUIRE(times);
  CHECK(times->name == "a) b (c");
  CHECK(times->cpu == Seconds(4));
  CHECK(times->start_time == 987654);
  CHECK_FALSE(fb::parse_process_stat("42 (gone", 100));
}

TEST_CASE("octal and percent escapes become bytes") {
  CHECK(fb::unescape_octal("a\\040b\\134c\\9") == "a b\\c\\9");
  CHECK(fb::unescape_percent("%2Fvol%2fa%") == "/vol/a%");
}
