#include "mountstats.hpp"

#include "mount_counters.hpp"
#include "text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

namespace fb = nasdiag::filebench;
namespace fs = std::filesystem;
using fb::ByteCount;

namespace {

const fs::path kSamples = fs::path(NASDIAG_TEST_DATA) / "filebench";

fb::MountStats sample(const std::string& name) {
  const auto all = fb::parse_mountstats(fb::read_text(kSamples / name));
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("every captured mountstats file is understood") {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    if (entry.path().filename().string().find("mountstats") == std::string::npos) continue;
    CAPTURE(entry.path());
    const auto all = fb::parse_mountstats(fb::read_text(entry.path()));
    REQUIRE(all.size() == 1);
    CHECK(all.front().mount_point.starts_with("/mnt/"));
    CHECK(all.front().type.starts_with("nfs"));
    CHECK(all.front().options.starts_with("r"));
    CHECK(all.front().counters.transport.connections >= 1);
    CHECK_FALSE(all.front().counters.operations.empty());
    ++files;
  }
  CHECK(files == 9);
}

TEST_CASE("reads are counted whether the kernel sends READ or READ_PLUS") {
  const auto newer = sample("linux6.12-mountstats-v42-nconnect4.txt").counters;
  CHECK(newer.find("READ") == nullptr);
  REQUIRE(newer.find("READ_PLUS") != nullptr);
  CHECK(newer.read_operations().operations == newer.find("READ_PLUS")->operations);
  CHECK(newer.read_operations().received >= newer.read_from_server);
  const auto older = sample("linux6.1-mountstats-v42-nconnect4.txt").counters;
  REQUIRE(older.find("READ") != nullptr);
  CHECK(older.read_operations().operations == older.find("READ")->operations);
}

TEST_CASE("all connections of a mount are added up") {
  const auto transport = sample("linux6.12-mountstats-v42-nconnect4.txt").counters.transport;
  CHECK(transport.connections == 4);
  CHECK(transport.sends == 79 + 73 + 72 + 72);
  CHECK(transport.receives == 79 + 73 + 72 + 72);
  CHECK(transport.in_flight_sum == 84 + 77 + 73 + 74);
  CHECK(transport.max_slots == 8);
}

TEST_CASE("a frozen server shows as retransmissions, time-outs and late answers") {
  const auto counters = sample("linux6.1-mountstats-v3-hard-retrans.txt").counters;
  const auto* getattr = counters.find("GETATTR");
  REQUIRE(getattr != nullptr);
  CHECK(getattr->operations == 2);
  CHECK(getattr->transmissions == 7);
  CHECK(getattr->retransmissions() == 5);
  CHECK(getattr->timeouts == 2);
  CHECK(counters.transport.bad_xids == 5);
}

TEST_CASE("counters are shown as differences, and a fresh mount counts from zero") {
  const auto after = sample("linux6.12-mountstats-v42-nconnect4.txt").counters;
  auto before = after;
  before.read_from_server = ByteCount::bytes(1000);
  before.transport.sends -= 10;
  before.operations.erase(before.operations.begin());
  const auto change = fb::difference(before, after);
  CHECK(change.read_from_server == after.read_from_server - ByteCount::bytes(1000));
  CHECK(change.written_to_server == ByteCount());
  CHECK(change.transport.sends == 10);
  CHECK(change.transport.connections == 4);
  REQUIRE(change.operations.size() == 1);
  CHECK(change.operations.front() == after.operations.front());

  before.age = after.age + fb::Seconds(100);
  CHECK(fb::difference(before, after) == after);
}

TEST_CASE("the mount on top is the one whose counters count") {
  const std::string text =
      "device systemd-1 mounted on /media/film with fstype autofs\n"
      "device nas:/a mounted on /media/film with fstype nfs statvers=1.1\n\tage:\t7\n"
      "device nas:/b mounted on /media/film with fstype nfs4 statvers=1.1\n\tage:\t9\n"
      "device tmpfs mounted on /tmp with fstype tmpfs\n\tage:\t11\n";
  const auto all = fb::parse_mountstats(text);
  REQUIRE(all.size() == 2);
  const auto* seen = fb::find_mount_stats(all, "/media/film");
  REQUIRE(seen != nullptr);
  CHECK(seen->source == "nas:/b");
  CHECK(seen->counters.age == fb::Seconds(9));
  CHECK(fb::find_mount_stats(all, "/tmp") == nullptr);
}

TEST_CASE("older and unknown lines of mountstats do no harm") {
  const auto all = fb::parse_mountstats(
      "device nas:/a mounted on /m with fstype nfs statvers=1.0\n\tfsc:\t1 2 3\n\txprt:\tudp 800 1 5 4 1 9 "
      "0\n"
      "\txprt:\trdma 0 1 2 0 0 50 49 0 60 0 1 2 3\n\txprt:\n\tper-op statistics\n\t READ: 1 2 3 4 5 6 7 "
      "8\n\t\n");
  REQUIRE(all.size() == 1);
  CHECK(all.front().counters.transport.sends == 55);
  REQUIRE(all.front().counters.find("READ") != nullptr);
  CHECK(all.front().counters.find("READ")->errors == 0);
}
