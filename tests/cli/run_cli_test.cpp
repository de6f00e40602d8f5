// The program as people run it: against a real iperf3 server and with real folders in place of mounts.

#include "filebench/sshfs_mount.hpp"
#include "netbench/iperf3_process.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/measure_json.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <thread>

namespace json = boost::json;
using namespace nasdiag;
using Catch::Matchers::Contains;
using test::Program;
using test::TempDir;

namespace {

// Two folders, a place for the report, and nothing left behind at the end.
struct Place {
  TempDir dir;
  std::string mount = dir.path() / "mount";
  std::string local = dir.path() / "local";
  std::string report = dir.path() / "report.json";
  Place() {
    std::filesystem::create_directory(mount);
    std::filesystem::create_directory(local);
  }
  bool clean() const { return std::filesystem::is_empty(mount) && std::filesystem::is_empty(local); }
  json::object saved() const { return nasdiag::report::read_json_file(report).as_object(); }
};

std::vector<std::string> run_words(const Place& place, const std::string& server) {
  return {"run",       "--server", server, "--mount", place.mount, "--local",
          place.local, "--budget", "10s",  "--json",  place.report};
}

std::string outcome(const json::object& report, std::string_view kind, std::string_view direction) {
  for (const json::value& experiment : report.at("experiments").as_array())
    if (experiment.at("kind").as_string() == kind && experiment.at("direction").as_string() == direction)
      return experiment.at("outcome").as_string().c_str();
  return "absent";
}

bool no_iperf3() {
  if (tests::iperf3_installed()) return false;
  WARN("SKIPPED: iperf3 is not installed");
  return true;
}

}  // namespace

TEST_CASE("run measures all layers against a real iperf3 server and leaves nothing behind") {
  if (no_iperf3()) return;
  tests::Iperf3Server server;
  const Place place;
  const auto ended = test::run_program(run_words(place, "127.0.0.1:" + std::to_string(server.port())));
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out, Contains("TCP, 4 streams") && Contains("Write, to the NAS:") && Contains("MB/s"));
  CHECK_THAT(ended.err, Contains("network: write, 1 stream"));
  CHECK(place.clean());

  const json::object report = place.saved();
  for (const char* kind : {"tcp-one-stream", "tcp-four-streams", "client-disk", "mount-to-memory", "copy"})
    for (const char* direction : {"write", "read"}) {
      INFO(kind << ' ' << direction);
      CHECK(outcome(report, kind, direction) == "ok");
    }
  CHECK(report.at("diagnosis").at("read").at("achieved").at("bits_per_second").to_number<double>() > 0);
  for (const json::value& experiment : report.at("experiments").as_array())
    CHECK_FALSE(experiment.at("samples").as_array().empty());
}

TEST_CASE("with the server's port closed the other layers are still measured") {
  const Place place;
  const auto ended = test::run_program(run_words(place, "127.0.0.1:" + std::to_string(tests::free_port())));
  INFO(ended.err);
  CHECK(ended.exit_code == 1);
  CHECK_THAT(ended.out, Contains("not measured") && Contains("iperf3 -s"));
  CHECK(outcome(place.saved(), "tcp-one-stream", "write") == "failed");
  CHECK(outcome(place.saved(), "tcp-four-streams", "read") == "skipped");
  CHECK(outcome(place.saved(), "copy", "read") == "ok");
  CHECK(place.clean());
}

TEST_CASE("a mount folder that isn't there is one clear sentence, and the network is still measured") {
  if (no_iperf3()) return;
  tests::Iperf3Server server;
  const Place place;
  std::filesystem::remove(place.mount);
  const auto ended = test::run_program(run_words(place, "127.0.0.1:" + std::to_string(server.port())));
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 1);
  CHECK_THAT(ended.out, Contains("No such file or directory"));
  CHECK(outcome(place.saved(), "tcp-one-stream", "write") == "ok");
  CHECK(outcome(place.saved(), "copy", "write") == "skipped");
  CHECK_FALSE(std::filesystem::exists(place.mount));
}

TEST_CASE("a signal ends the run, keeps what was measured and removes what was made") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const char* phase = GENERATE("disk: read", "file: write");
  const Place place;
  Program program(
      {"run", "--mount", place.mount, "--local", place.local, "--budget", "40s", "--json", place.report});
  REQUIRE(program.says(phase));
  program.signal(number);
  // A second is the promise; the rest is for a busy machine.
  const auto ended = program.wait(std::chrono::seconds(6));
  REQUIRE(ended);
  INFO(ended->err);
  CHECK(ended->exit_code == 130);
  CHECK(place.clean());
  const json::object report = place.saved();
  CHECK(report.at("interrupted").as_bool());
  CHECK(outcome(report, "client-disk", "read") == "ok");
  CHECK(outcome(report, "copy", "read") == "skipped");
  CHECK_THAT(ended->out, Contains("Interrupted"));
}

TEST_CASE("a second Ctrl-C ends the program at once, and the next run removes what was left") {
  const Place place;
  const std::vector<std::string> words{"run",      "--mount", place.mount, "--local",   place.local,
                                       "--budget", "10s",     "--json",    place.report};
  Program program(words);
  REQUIRE(program.says("disk: write"));
  program.signal(SIGINT);
  program.signal(SIGINT);
  const auto ended = program.wait(std::chrono::seconds(3));
  REQUIRE(ended);
  CHECK(ended->exit_code == 130);
  CHECK(test::run_program(words).exit_code == 0);
  CHECK(place.clean());
}

TEST_CASE("a killed run leaves nothing that the next one does not remove") {
  const char* phase = GENERATE("disk: read", "file: write");
  const Place place;
  const std::vector<std::string> words{"run",       "--mount",  place.mount, "--local",
                                       place.local, "--budget", "10s"};
  Program program(words);
  REQUIRE(program.says(phase));
  program.signal(SIGKILL);
  REQUIRE(program.wait(std::chrono::seconds(5)));
  CHECK(test::run_program(words).exit_code == 0);
  CHECK(place.clean());
}

TEST_CASE("JSON on standard output comes alone") {
  const Place place;
  const auto ended = test::run_program(
      {"run", "--mount", place.mount, "--local", place.local, "--budget", "10s", "--json", "-"});
  CHECK(ended.exit_code == 0);
  CHECK(json::parse(ended.out).at("format") == "nasdiag-report");
}

TEST_CASE("a mount whose server stops answering ends its stage with a message, not the program") {
  if (const auto why = test::SshfsMount::why_not()) {
    WARN("SKIPPED: " << *why);
    return;
  }
  const Place place;
  const test::SshfsMount mount;
  Program program(
      {"run", "--mount", mount.path(), "--local", place.local, "--budget", "30s", "--json", place.report});
  REQUIRE(program.says("file: write"));
  ::kill(mount.server(), SIGSTOP);
  auto ended = program.wait(std::chrono::seconds(60));
  REQUIRE(ended);
  INFO(ended->out << ended->err);
  CHECK(ended->exit_code == 1);
  CHECK_THAT(ended->out, Contains("stopped answering"));
  CHECK(outcome(place.saved(), "client-disk", "write") == "ok");
  CHECK(outcome(place.saved(), "mount-to-memory", "write") == "failed");
  CHECK(std::filesystem::is_empty(place.local));
}

TEST_CASE("Ctrl-C ends a run that waits for a dead mount, too") {
  if (const auto why = test::SshfsMount::why_not()) {
    WARN("SKIPPED: " << *why);
    return;
  }
  const Place place;
  const test::SshfsMount mount;
  Program program(
      {"run", "--mount", mount.path(), "--local", place.local, "--budget", "30s", "--json", place.report});
  REQUIRE(program.says("file: write"));
  ::kill(mount.server(), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  program.signal(SIGINT);
  const auto ended = program.wait(std::chrono::seconds(6));
  REQUIRE(ended);
  CHECK(ended->exit_code == 130);
}

TEST_CASE("the demo measures everything within 20 seconds and says that it is one") {
  const TempDir home;
  const auto begin = std::chrono::steady_clock::now();
  const auto ended = test::run_program({"demo"}, {"HOME=" + home.path().string()});
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out,
             Contains("measured this machine only") && Contains("TCP, 1 stream") && Contains("copy"));
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::seconds(40));  // 20 on a machine that is not busy
  CHECK(std::filesystem::is_empty(home.path()));
}
