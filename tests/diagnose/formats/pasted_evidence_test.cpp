#include <diagnose/formats/pasted_evidence.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace nasdiag;
using Catch::WithinRel;
using evidence::Evidence;
using evidence::ExperimentKind;
using measure::Direction;

namespace {

Evidence evidence_of(const std::string& text) {
  Evidence evidence;
  formats::add_pasted_figures(formats::read_pasted_text(text), evidence);
  return evidence;
}

Evidence evidence_of_file(const std::string& name) {
  std::ifstream in(std::string(NASDIAG_TEST_DATA) + "/pasted/" + name);
  std::stringstream whole;
  whole << in.rdbuf();
  return evidence_of(whole.str());
}

std::size_t notes_with(const Evidence& evidence, const std::string& code) {
  return static_cast<std::size_t>(std::count_if(evidence.notes.begin(), evidence.notes.end(),
                                                [&](const auto& note) { return note.code == code; }));
}

template <class Result>
const Result& result_of(const Evidence& evidence, ExperimentKind kind, Direction direction) {
  const auto* experiment = evidence.find(kind, direction);
  REQUIRE(experiment != nullptr);
  const auto* result = std::get_if<Result>(&experiment->result);
  REQUIRE(result != nullptr);
  return *result;
}

}  // namespace

TEST_CASE("pasted iperf3 becomes TCP with one or with several streams") {
  const Evidence one = evidence_of_file("iperf3-5g-plateau.txt");
  const auto& result = result_of<netbench::TcpResult>(one, ExperimentKind::tcp_one_stream, Direction::write);
  CHECK_THAT(result.directions.at(0).throughput.megabits_per_second(), WithinRel(4710.0));
  CHECK(result.directions.at(0).series.size() == 10);
  CHECK(result.directions.at(0).retransmits == 0);
  CHECK(result.complete);

  const Evidence ten = evidence_of_file("iperf3-p10.txt");
  CHECK(result_of<netbench::TcpResult>(ten, ExperimentKind::tcp_four_streams, Direction::write)
            .options.streams == 10);
}

TEST_CASE("a run that contradicts itself is left out, with the reason") {
  const Evidence evidence = evidence_of_file("iperf3-router-eight-streams-no-end.txt");
  CHECK(evidence.experiments.empty());
  CHECK(notes_with(evidence, "direction-unknown") == 1);
}

TEST_CASE("copies count by the clock, not by the rate before the flush") {
  const Evidence evidence = evidence_of_file("rsync-five-times.txt");
  REQUIRE(evidence.experiments.size() == 1);
  const auto& copy = result_of<filebench::TransferResult>(evidence, ExperimentKind::copy, Direction::write);
  CHECK_THAT(copy.rate.megabytes_per_second(), WithinRel(137.2, 0.01));
  CHECK(notes_with(evidence, "before-flush") == 5);
}

TEST_CASE("checksums without a size and interface counters are left out, with the reason") {
  const Evidence over_nfs = evidence_of_file("sha1sum-nfs-five-times.txt");
  CHECK(notes_with(over_nfs, "no-rate") == 1);
  CHECK(notes_with(over_nfs, "client-cache") == 4);
  CHECK(notes_with(evidence_of_file("sha1sum-local-five-times.txt"), "hash-bound") == 5);
  CHECK(notes_with(evidence_of_file("dladm-one-line.txt"), "counter") == 1);
}

TEST_CASE("fio on the machine that is not the iperf client is the NAS's disk") {
  const Evidence evidence = evidence_of_file("iperf3-fio-inline.txt");
  CHECK(evidence.find(ExperimentKind::tcp_one_stream, Direction::write) != nullptr);
  CHECK(evidence.find(ExperimentKind::client_disk, Direction::write) == nullptr);
  const auto& written =
      result_of<diskbench::DiskResult>(evidence, ExperimentKind::nas_disk, Direction::write);
  REQUIRE(written.write);
  CHECK_THAT(written.write->throughput.megabytes_per_second(), WithinRel(839.0, 0.01));
  const auto& read = result_of<diskbench::DiskResult>(evidence, ExperimentKind::nas_disk, Direction::read);
  REQUIRE(read.read);
  CHECK_THAT(read.read->throughput.megabytes_per_second(), WithinRel(4273.0, 0.01));
}

TEST_CASE("a time without a size gets it from another line about the same file") {
  std::string text;
  for (const char* name : {"sha1sum-nfs-five-times.txt", "rsync-five-times.txt"}) {
    std::ifstream in(std::string(NASDIAG_TEST_DATA) + "/pasted/" + name);
    std::stringstream whole;
    whole << in.rdbuf();
    text += whole.str() + "\n";
  }
  const Evidence evidence = evidence_of(text);
  const auto& read =
      result_of<filebench::TransferResult>(evidence, ExperimentKind::mount_to_memory, Direction::read);
  CHECK_THAT(read.rate.megabytes_per_second(), WithinRel(585.0, 0.01));
}

TEST_CASE("runs with several windows are a sweep, the best of them stands for one stream") {
  const auto run = [](const std::string& window, const std::string& rate) {
    return "iperf -c 192.0.2.148 -P 1 -w " + window + " -f m -t 20\n[1912] 0.0-20.0 sec 1891 MBytes " + rate +
           " Mbits/sec\n";
  };
  const Evidence evidence = evidence_of(run("8k", "207") + run("16k", "317") + run("48k", "793"));
  CHECK(std::count_if(evidence.experiments.begin(), evidence.experiments.end(), [](const auto& experiment) {
          return experiment.kind == ExperimentKind::tcp_window;
        }) == 3);
  CHECK_THAT(result_of<netbench::TcpResult>(evidence, ExperimentKind::tcp_one_stream, Direction::write)
                 .directions.at(0)
                 .throughput.megabits_per_second(),
             WithinRel(793.0));
}

TEST_CASE("a run that contradicts itself counts beside one that doesn't, with a note") {
  std::string text;
  for (const char* name : {"iperf3-router-one-stream.txt", "iperf3-router-eight-streams-no-end.txt"}) {
    std::ifstream in(std::string(NASDIAG_TEST_DATA) + "/pasted/" + name);
    std::stringstream whole;
    whole << in.rdbuf();
    text += whole.str() + "\n";
  }
  const Evidence evidence = evidence_of(text);
  CHECK(evidence.find(ExperimentKind::tcp_four_streams, Direction::write) != nullptr);
  CHECK(notes_with(evidence, "direction-assumed") == 1);
  REQUIRE(evidence.facts.route);
  CHECK(evidence.facts.route->gateway);  // the addresses are of different networks
}

TEST_CASE("fio reading the client's disk belongs to the job that writes to the NAS") {
  const Evidence evidence =
      evidence_of("$ fio --directory=/home/me --rw=read --bs=1M --direct=1\nREAD: bw=500MiB/s\n");
  const auto& disk =
      result_of<diskbench::DiskResult>(evidence, ExperimentKind::client_disk, Direction::write);
  REQUIRE(disk.read);
  CHECK_THAT(disk.read->throughput.megabytes_per_second(), WithinRel(524.288, 1e-6));
  CHECK(disk.options.block_size == measure::ByteCount::mebibytes(1));
}

TEST_CASE("dd over a share is the mount to and from memory") {
  const Evidence evidence = evidence_of(
      "dd if=/dev/urandom of=/mnt/nas/x bs=1M conv=fsync\n1073741824 bytes (1.1 GB) copied, 10 s, 107 MB/s\n"
      "dd if=/mnt/nas/x of=/dev/null bs=1M iflag=direct\n1073741824 bytes (1.1 GB) copied, 20 s, 54 MB/s\n");
  CHECK_THAT(result_of<filebench::TransferResult>(evidence, ExperimentKind::mount_to_memory, Direction::write)
                 .rate.megabytes_per_second(),
             WithinRel(107.37, 1e-3));
  CHECK_THAT(result_of<filebench::TransferResult>(evidence, ExperimentKind::mount_to_memory, Direction::read)
                 .rate.megabytes_per_second(),
             WithinRel(53.69, 1e-3));
}

TEST_CASE("a second figure of a kind doesn't replace the first") {
  const std::string run = "[ 5] 0.00-10.00 sec 1.10 GBytes 941 Mbits/sec receiver\n";
  const std::string other = "[ 5] 0.00-10.00 sec 0.50 GBytes 430 Mbits/sec receiver\n";
  const Evidence evidence = evidence_of("iperf3 -c nas\n" + run + "iperf3 -c nas\n" + other);
  REQUIRE(evidence.experiments.size() == 1);
  CHECK(notes_with(evidence, "second-figure") == 1);
}
