// nasdiag diagnose: a verdict from figures that exist already.

#include "support/program.hpp"
#include "support/temp_dir.hpp"

#include <diagnose/report/json_text.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace nasdiag;
using Catch::Matchers::Contains;
using test::TempDir;

namespace {

std::string pasted(const std::string& name) { return std::string(NASDIAG_TEST_DATA) + "/pasted/" + name; }

struct Answer {
  test::Ended ended;
  boost::json::object report;
  const boost::json::object& of(const char* direction) const {
    return report.at("diagnosis").at(direction).as_object();
  }
};

Answer diagnose(std::vector<std::string> words) {
  const TempDir dir;
  const std::string file = dir.path() / "report.json";
  words.insert(words.begin(), "diagnose");
  words.insert(words.end(), {"--json", file});
  Answer answer{.ended = test::run_program(words), .report = {}};
  INFO(answer.ended.err);
  REQUIRE(std::filesystem::exists(file));
  answer.report = report::read_json_file(file).as_object();
  return answer;
}

}  // namespace

TEST_CASE("diagnose: figures typed by hand, in all units") {
  const Answer answer =
      diagnose({"--tcp-write", "2.35Gbit", "--nas-disk-read", "4273MB/s", "--file-read", "62MB/s",
                "--file-write", "143MiB/s", "--mount-kind", "gvfs-smb", "--link", "2.5Gbit"});
  CHECK(answer.ended.exit_code == 0);
  CHECK(answer.of("read").at("cause") == "mount/gvfs-overhead");
  CHECK(answer.of("write").at("cause") == "mount/gvfs-overhead");
  CHECK_THAT(answer.ended.out, Contains("For a firmer answer") && Contains("typed by hand"));
}

TEST_CASE("diagnose: a rate without its unit is refused, with what to write") {
  const auto ended = test::run_program({"diagnose", "--file-read", "62"});
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, Contains("no unit") && Contains("62MB/s") && Contains("62Mbit"));
  CHECK(test::run_program({"diagnose", "--file-read", "10M"}).exit_code == 2);
  CHECK(test::run_program({"diagnose", "--file-read", "fast"}).exit_code == 2);
  CHECK(test::run_program({"diagnose", "--mount-kind", "floppy", "--file-read", "1MB/s"}).exit_code == 2);
  CHECK(test::run_program({"diagnose"}).exit_code == 2);
}

TEST_CASE("diagnose: its own report gives the same verdict again") {
  const TempDir dir;
  const std::string first = dir.path() / "first.json";
  CHECK(test::run_program({"diagnose", pasted("iperf3-5g-plateau.txt"), "--link", "10Gbit", "--json", first})
            .exit_code == 0);
  const Answer again = diagnose({first});
  const auto before = report::read_json_file(first).as_object();
  CHECK(again.report.at("diagnosis") == before.at("diagnosis"));
}

TEST_CASE("diagnose: a file that isn't there, and one with nothing in it") {
  CHECK(test::run_program({"diagnose", "/nowhere/x.json"}).exit_code == 3);
  const TempDir dir;
  const std::string empty = dir.path() / "empty.txt";
  std::ofstream(empty) << "hello\n";
  const auto ended = test::run_program({"diagnose", empty});
  CHECK(ended.exit_code == 3);
  CHECK_THAT(ended.out, Contains("No figure was found"));
}

TEST_CASE("diagnose: every text people pasted is read, or it says what could not be") {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NASDIAG_TEST_DATA) + "/pasted")) {
    const Answer answer = diagnose({entry.path()});
    INFO(entry.path() << '\n' << answer.ended.out << answer.ended.err);
    CHECK((answer.ended.exit_code == 0 || answer.ended.exit_code == 3));
    CHECK(answer.report.at("experiments").as_array().size() + answer.report.at("notes").as_array().size() >
          0);
  }
}
