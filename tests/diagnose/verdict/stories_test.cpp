// Stories as people told them, from the texts they pasted and the figures they gave: what the verdict makes
// of them.

#include <diagnose/formats/given_evidence.hpp>
#include <diagnose/formats/hand_figures.hpp>
#include <diagnose/verdict/verdict.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace nasdiag;
using formats::HandFigures;
using measure::DataRate;
using verdict::Diagnosis;
using verdict::Layer;

namespace {

formats::Given pasted(const std::string& name) {
  std::ifstream in(std::string(NASDIAG_TEST_DATA) + "/pasted/" + name);
  std::stringstream whole;
  whole << in.rdbuf();
  return {.name = name, .text = whole.str()};
}

Diagnosis diagnose(const std::vector<formats::Given>& given, const HandFigures& figures) {
  evidence::Evidence evidence = formats::evidence_of_given(given);
  formats::add_hand_figures(figures, evidence);
  return verdict::decide(evidence);
}

DataRate gbit(double n) { return DataRate::megabits_per_second(n * 1000); }
DataRate mbyte(double n) { return DataRate::megabytes_per_second(n); }

bool mentions(const std::vector<std::string>& sentences, const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a 10 Gbit/s adapter that links at 5 Gbit/s") {
  const Diagnosis diagnosis =
      diagnose({pasted("iperf3-5g-plateau.txt"), pasted("iperf3-p10.txt")}, {.link = gbit(10)});
  CHECK(diagnosis.write.limiting_layer == Layer::link);
  CHECK(diagnosis.write.cause == "link/negotiated-speed");
  CHECK(mentions(diagnosis.write.evidence, "5GBASE-T"));
  CHECK(mentions(diagnosis.write.missing, "a file over the mount"));
  // The same without being told what is printed on the adapter.
  CHECK(diagnose({pasted("iperf3-5g-plateau.txt")}, {}).write.cause == "link/negotiated-speed");
}

TEST_CASE("copies faster than the wire, out of this computer's memory") {
  const Diagnosis diagnosis = diagnose(
      {pasted("rsync-five-times.txt"), pasted("sha1sum-nfs-five-times.txt"), pasted("iperf3-mtu9000.txt")},
      {.link = gbit(5), .mtu = 9000, .mount_kind = "nfs"});
  // By the clock: 137 MB/s, less than a third of what TCP carries; the printed 808 MB/s is no rate of the
  // NAS.
  REQUIRE(diagnosis.write.figures.job());
  CHECK(diagnosis.write.figures.job()->rate.value < mbyte(140));
  CHECK(mentions(diagnosis.write.evidence, "bench/page-cache-write"));
  CHECK(diagnosis.write.limiting_layer == Layer::nas_disk);
  REQUIRE(diagnosis.read.figures.job());
  CHECK(diagnosis.read.figures.job()->rate.value < mbyte(600));
  CHECK(diagnosis.read.limiting_layer == Layer::link);
  CHECK(mentions(diagnosis.read.evidence, "bench/client-page-cache-read"));
}

TEST_CASE("a printed rate above what TCP carries is no rate") {
  const Diagnosis diagnosis =
      diagnose({}, {.write = {.tcp_one_stream = gbit(4.21), .file = mbyte(808)}, .mount_kind = "nfs"});
  CHECK_FALSE(diagnosis.write.figures.job());
  CHECK(mentions(diagnosis.write.evidence, "bench/page-cache-write"));
}

TEST_CASE("a router between the subnets: one stream at 2.6 Gbit/s, eight at 7") {
  const Diagnosis by_hand =
      diagnose({}, {.write = {.tcp_one_stream = gbit(2.63), .tcp_more_streams = gbit(7)},
                    .streams = 8,
                    .link = gbit(10),
                    .way = "routed"});
  CHECK(by_hand.write.limiting_layer == Layer::path);
  CHECK(by_hand.write.cause == "path/router-cpu");
  // From the texts alone: the addresses are of two networks, and a router's processors are full.
  const Diagnosis from_texts =
      diagnose({pasted("iperf3-router-one-stream.txt"), pasted("iperf3-router-eight-streams-no-end.txt"),
                pasted("top-router-softirq.txt")},
               {});
  CHECK(from_texts.write.cause == "path/router-cpu");
  CHECK(mentions(from_texts.write.evidence, "95 %"));
}

TEST_CASE("GVfs at 62 MB/s over 2.35 Gbit/s and disks of 4 GB/s") {
  const Diagnosis diagnosis = diagnose({pasted("iperf3-fio-inline.txt")}, {.write = {.file = mbyte(150)},
                                                                           .read = {.file = mbyte(62)},
                                                                           .link = gbit(2.5),
                                                                           .mount_kind = "gvfs-smb"});
  for (const auto* verdict : {&diagnosis.write, &diagnosis.read}) {
    CHECK(verdict->limiting_layer == Layer::mount);
    CHECK(verdict->cause == "mount/gvfs-overhead");
    CHECK(verdict->confidence == verdict::Confidence::likely);
    CHECK(mentions(verdict->advice, "mount -t cifs"));
  }
  REQUIRE(diagnosis.read.next);
  CHECK(diagnosis.read.next->layer == Layer::link);
  CHECK(diagnosis.read.next->gain == Approx(3.75).margin(0.1));
}

TEST_CASE("throughput that follows the TCP window") {
  HandFigures figures{.link = gbit(1)};
  for (const auto& [kibibytes, megabits] :
       std::vector<std::pair<int, double>>{{8, 207}, {16, 317}, {24, 484}, {32, 633}, {48, 793}, {64, 768}})
    figures.windows.emplace_back(measure::ByteCount::kibibytes(kibibytes), gbit(megabits / 1000));
  const Diagnosis diagnosis = diagnose({}, figures);
  CHECK(diagnosis.write.limiting_layer == Layer::tcp);
  CHECK(diagnosis.write.cause == "tcp/window");
  CHECK(mentions(diagnosis.write.evidence, "larger window"));
}

TEST_CASE("a small window that fills the link is no fault") {
  const Diagnosis diagnosis = diagnose({pasted("iperf2-linux.txt")}, {});
  CHECK(diagnosis.write.limiting_layer == Layer::link);
  CHECK(diagnosis.write.cause == "none/link-saturated");
  CHECK(diagnose({pasted("iperf2-windows-one-line-48k.txt")}, {}).write.cause == "tcp/window");
}

TEST_CASE("an empty question is answered with what to measure") {
  const Diagnosis diagnosis = diagnose({}, {.mount_kind = "nfs4"});
  CHECK_FALSE(diagnosis.write.limiting_layer);
  CHECK(mentions(diagnosis.write.missing, "iperf3 -c NAS"));
}
