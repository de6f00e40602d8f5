#include <diagnose/formats/fio_evidence.hpp>
#include <diagnose/formats/given_evidence.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nasdiag;
using Catch::WithinRel;
using evidence::Evidence;
using evidence::ExperimentKind;
using formats::Place;
using measure::Direction;

namespace {

constexpr const char* kIperf3 =
    R"({"start": {"test_start": {"protocol": "TCP", "num_streams": 4, "reverse": 1}},
  "end": {"sum_sent": {"seconds": 10, "bytes": 1, "bits_per_second": 2360000000},
          "sum_received": {"seconds": 10, "bytes": 2937500000, "bits_per_second": 2350000000}}})";

std::string fio(const std::string& folder) {
  return R"({"fio version": "fio-3.33", "jobs": [
    {"jobname": "r", "job options": {"rw": "read", "bs": "1M", "directory": ")" +
         folder + R"("}, "read": {"total_ios": 10, "io_bytes": 10485760, "bw_bytes": 200000000}},
    {"jobname": "r", "job options": {"rw": "read", "bs": "1M", "directory": ")" +
         folder + R"("}, "read": {"total_ios": 10, "io_bytes": 10485760, "bw_bytes": 300000000}}]})";
}

bool has_note(const Evidence& evidence, const std::string& code) {
  return std::any_of(evidence.notes.begin(), evidence.notes.end(),
                     [&](const auto& note) { return note.code == code; });
}

}  // namespace

TEST_CASE("iperf3's JSON, fio's JSON and pasted text go together") {
  const Evidence evidence = formats::evidence_of_given(
      {{.name = "net.json", .text = kIperf3},
       {.name = "disks.json", .text = fio("/mnt/pool0"), .ran_on_nas = true},
       {.name = "dd.txt",
        .text = "dd if=/mnt/nas/x of=/dev/null bs=1M iflag=direct\n1073741824 bytes (1.1 GB) "
                "copied, 20 s, 54 MB/s\n"}});
  CHECK(evidence.find(ExperimentKind::tcp_four_streams, Direction::read) != nullptr);
  CHECK(evidence.find(ExperimentKind::mount_to_memory, Direction::read) != nullptr);
  const auto* disk = evidence.find(ExperimentKind::nas_disk, Direction::read);
  REQUIRE(disk);
  // two processes of one job
  CHECK_THAT(std::get<diskbench::DiskResult>(disk->result).read->throughput.megabytes_per_second(),
             WithinRel(500.0));
  CHECK_THAT(disk->origin, Catch::Contains("disks.json"));
}

TEST_CASE("whose disk fio measured is guessed from the folder, and said") {
  CHECK(formats::place_of("/volume1/share") == Place::nas);
  CHECK(formats::place_of("/mnt/tank/media") == Place::nas);
  CHECK(formats::place_of("/mnt/nas/tmp") == Place::share);
  CHECK(formats::place_of("/home/me") == Place::client);
  const Evidence evidence = formats::evidence_of_given({{.name = "x.json", .text = fio("/home/me")}});
  CHECK(evidence.find(ExperimentKind::client_disk, Direction::write) != nullptr);
  CHECK(has_note(evidence, "machine-guessed"));
}

TEST_CASE("what can't be read is one clear sentence") {
  const auto read = [](const std::string& text) {
    return formats::evidence_of_given({{.name = "x.json", .text = text}});
  };
  CHECK_THROWS_WITH(read("{\"a\": 1}"), Catch::Contains("x.json is JSON, but neither a report"));
  CHECK_THROWS_WITH(read("{\"a\": "), Catch::Contains("x.json is not JSON"));
  CHECK(has_note(read("hello\nthere\n"), "nothing-recognised"));
}

TEST_CASE("lines that nothing was taken from are named") {
  const Evidence evidence = formats::evidence_of_given(
      {{.name = "paste.txt",
        .text = "what is this\niperf3 -c nas\n[ 5] 0.00-10.00 sec 1.10 GBytes 941 Mbits/sec "
                "receiver\n"}});
  const auto note = std::find_if(evidence.notes.begin(), evidence.notes.end(),
                                 [](const auto& n) { return n.code == "lines-unread"; });
  REQUIRE(note != evidence.notes.end());
  CHECK_THAT(note->text, Catch::Contains("what is this"));
}
