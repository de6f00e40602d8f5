#include "cifs_stats.hpp"

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

fb::CifsStats stats_of(const std::string& name) {
  return fb::parse_cifs_stats(fb::read_text(kSamples / name));
}

fb::CifsServer server_of(const std::string& name) {
  const auto servers = fb::parse_cifs_debug_data(fb::read_text(kSamples / name));
  REQUIRE(servers.size() == 1);
  return servers.front();
}

std::int64_t commands_called(const fb::CifsStats& stats, const std::string& name) {
  const auto found = std::find_if(stats.commands.begin(), stats.commands.end(),
                                  [&](const fb::SmbCommand& command) { return command.name == name; });
  return found == stats.commands.end() ? -1 : found->number;
}

}  // namespace

TEST_CASE("every captured Stats and DebugData file is understood") {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    if (name.find("cifs-stats") != std::string::npos) {
      const auto stats = stats_of(name);
      REQUIRE(stats.shares.size() == 1);
      CHECK(stats.shares.front().name == "\\\\10.99.0.1\\share");
      CHECK(stats.commands.size() == 19);
      ++files;
    }
    if (name.find("cifs-debugdata") != std::string::npos) {
      const auto server = server_of(name);
      CHECK(server.hostname == "10.99.0.1");
      CHECK(server.address == "10.99.0.1");
      CHECK(server.dialect >= 0x210);
      REQUIRE(server.shares.size() == 2);
      CHECK(server.shares.back().name == "\\\\10.99.0.1\\share");
      ++files;
    }
  }
  CHECK(files == 21);
}

TEST_CASE("the command tables of all channels are added") {
  CHECK(stats_of("linux6.1-cifs-stats-default.txt").max_in_flight > 0);
  const auto two = stats_of("linux6.1-cifs-stats-multichannel2.txt");
  CHECK(commands_called(two, "NEGOTIATE") == 2);
  CHECK(two.max_in_flight == 6);
}

TEST_CASE("reconnects and slow answers are seen") {
  const auto stats = stats_of("linux6.1-cifs-stats-after-reconnect.txt");
  CHECK(stats.session_reconnects == 3);
  CHECK(stats.share_reconnects == 2);
  CHECK(stats.slow_responses >= 11);
}

TEST_CASE("signing and encryption come from DebugData on every kernel") {
  CHECK(server_of("linux6.1-cifs-debugdata-sign.txt").signs);
  CHECK(server_of("linux6.12-cifs-debugdata-sign.txt").signs);
  CHECK_FALSE(server_of("linux6.1-cifs-debugdata-default.txt").signs);
  CHECK(server_of("linux6.1-cifs-debugdata-seal.txt").shares.back().encrypted);
  CHECK(server_of("linux6.12-cifs-debugdata-seal.txt").shares.back().encrypted);
  CHECK_FALSE(server_of("linux6.12-cifs-debugdata-default.txt").shares.back().encrypted);
}

TEST_CASE("channels and the server's own interfaces are seen") {
  CHECK(server_of("linux6.12-cifs-debugdata-multichannel2-hard.txt").connections == 2);
  CHECK(server_of("linux6.1-cifs-debugdata-default.txt").connections == 1);
  for (const char* name :
       {"linux6.1-cifs-debugdata-multichannel2.txt", "linux6.12-cifs-debugdata-multichannel2-hard.txt"}) {
    const auto server = server_of(name);
    REQUIRE(server.interfaces.size() == 1);
    CHECK(server.interfaces.front().bits_per_second == 10'000'000'000);
    CHECK(server.interfaces.front().address == "10.99.0.1");
  }
}

TEST_CASE("a share is found by name or address, whatever the case") {
  CHECK(fb::is_share_of("\\\\TANK\\Media", "//tank/media", ""));
  CHECK(fb::is_share_of("\\\\192.0.2.5\\media", "//tank/media/films", "192.0.2.5"));
  CHECK_FALSE(fb::is_share_of("\\\\tank\\music", "//tank/media", ""));
  CHECK_FALSE(fb::is_share_of("\\\\tank", "//tank/media", ""));
}

TEST_CASE("SMB counters are shown as differences") {
  fb::CifsCounters before{.read = ByteCount::bytes(10),
                          .written = ByteCount::bytes(5),
                          .requests = 3,
                          .commands = {{"READ", 4, fb::Seconds(1)}, {"ECHO", 2, fb::Seconds(0)}}};
  fb::CifsCounters after = before;
  after.read = ByteCount::bytes(110);
  after.commands[0].number = 9;
  const auto change = fb::difference(before, after);
  CHECK(change.read == ByteCount::bytes(100));
  CHECK(change.written == ByteCount());
  REQUIRE(change.commands.size() == 1);
  CHECK(change.commands.front().number == 5);
}
