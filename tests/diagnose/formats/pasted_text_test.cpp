#include <diagnose/formats/pasted_text.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

using namespace nasdiag::formats;
using Catch::WithinAbs;
using Catch::WithinRel;
using nasdiag::measure::ByteCount;
using nasdiag::measure::Direction;

namespace {

std::string file_text(const std::string& name) {
  std::ifstream in(std::string(NASDIAG_TEST_DATA) + "/pasted/" + name);
  REQUIRE(in);
  std::stringstream whole;
  whole << in.rdbuf();
  return whole.str();
}

PastedText read_file(const std::string& name) { return read_pasted_text(file_text(name)); }

double megabits(const PastedFigure& figure) { return figure.rate.value().megabits_per_second(); }

bool has_note(const PastedFigure& figure, const std::string& code) {
  return std::any_of(figure.notes.begin(), figure.notes.end(),
                     [&](const auto& note) { return note.code == code; });
}

PastedFigure only_figure(const PastedText& text) {
  REQUIRE(text.figures.size() == 1);
  return text.figures.front();
}

}  // namespace

TEST_CASE("iperf3 with one stream: rate of the receiver, intervals, retransmits") {
  const PastedText text = read_file("iperf3-5g-plateau.txt");
  const PastedFigure figure = only_figure(text);
  CHECK(figure.tool == PastedTool::iperf3);
  CHECK(figure.subject == PastedSubject::tcp);
  CHECK(figure.direction == Direction::write);
  CHECK_THAT(megabits(figure), WithinRel(4710.0));
  CHECK(figure.streams == 1);
  CHECK(figure.retransmits == 0);
  CHECK(figure.peer == "198.51.100.9");
  CHECK(figure.duration->count() == 10);
  REQUIRE(figure.samples.size() == 10);
  CHECK_THAT(figure.samples[0].rate().megabits_per_second(), WithinRel(4731.0, 0.001));
  CHECK(figure.notes.empty());
  CHECK(text.unread.empty());
}

TEST_CASE("iperf3 with a slip in a stream number says so and counts the row") {
  const PastedFigure figure = only_figure(read_file("iperf3-gigabit-typo-in-id.txt"));
  CHECK_THAT(megabits(figure), WithinRel(941.0));
  CHECK(figure.streams == 1);
  CHECK(figure.samples.size() == 10);
  CHECK(has_note(figure, "odd-stream-id"));
}

TEST_CASE("iperf3 with large frames is read like any other") {
  const PastedFigure figure = only_figure(read_file("iperf3-mtu9000.txt"));
  CHECK_THAT(megabits(figure), WithinRel(4210.0));
  CHECK(figure.peer == "nas");
}

TEST_CASE("iperf3 with ten streams gives the sum, not a stream") {
  const PastedText text = read_file("iperf3-p10.txt");
  const PastedFigure figure = only_figure(text);
  CHECK_THAT(megabits(figure), WithinRel(4710.0));
  CHECK(figure.streams == 10);
  REQUIRE(figure.samples.size() == 10);
  CHECK_THAT(figure.samples[0].rate().megabits_per_second(), WithinRel(4765.0, 0.001));
  CHECK(text.unread.empty());
}

TEST_CASE("a run whose end is cut off is averaged over what is there, and says so") {
  const PastedFigure figure = only_figure(read_file("iperf3-router-eight-streams-no-end.txt"));
  CHECK(figure.streams == 8);
  CHECK(figure.samples.size() == 5);
  CHECK_THAT(megabits(figure), WithinRel(7020.0, 0.01));
  CHECK(has_note(figure, "end-missing"));
  // The command is a client's, the local port a server's.
  CHECK_FALSE(figure.direction);
  CHECK(has_note(figure, "direction-contradicted"));
}

TEST_CASE("iperf3 without retransmits in its rows is read") {
  const PastedFigure figure = only_figure(read_file("iperf3-router-one-stream.txt"));
  CHECK_THAT(megabits(figure), WithinRel(2630.0));
  CHECK(figure.direction == Direction::write);
  CHECK_FALSE(figure.retransmits);
  CHECK(figure.samples.size() == 10);
}

TEST_CASE("iperf3 whose brackets got lost is read, also in reverse") {
  const PastedFigure read = only_figure(read_file("iperf3-without-brackets-reverse.txt"));
  CHECK(read.direction == Direction::read);
  CHECK_THAT(megabits(read), WithinRel(1580.0));
  CHECK(read.retransmits == 5545);
  CHECK(read.samples.size() == 10);

  const PastedFigure write = only_figure(read_file("iperf3-without-brackets-write.txt"));
  CHECK(write.direction == Direction::write);
  CHECK_THAT(megabits(write), WithinRel(726.0));
  CHECK(write.streams == 1);
}

TEST_CASE("iperf 2 on Linux: the last row is the whole, the window is what it got") {
  const PastedText text = read_file("iperf2-linux.txt");
  const PastedFigure figure = only_figure(text);
  CHECK(figure.tool == PastedTool::iperf2);
  CHECK_THAT(megabits(figure), WithinRel(939.0));
  CHECK(figure.direction == Direction::write);
  CHECK(figure.samples.size() == 20);
  REQUIRE(figure.window);
  CHECK_THAT(figure.window->megabytes(), WithinRel(0.0629, 0.01));
  CHECK(figure.host == "client");
  CHECK(text.unread.empty());
}

TEST_CASE("iperf 2 on Windows in a single line, with prose glued on, is read") {
  const PastedFigure figure = only_figure(read_file("iperf2-windows-one-line-48k.txt"));
  CHECK(figure.tool == PastedTool::iperf2);
  CHECK_THAT(megabits(figure), WithinRel(793.0));
  CHECK(figure.samples.size() == 20);
  CHECK(figure.streams == 1);
  CHECK(figure.peer == "192.0.2.148");
  CHECK(figure.window);
}

TEST_CASE("iperf3 and fio inline, elided in the middle, give a network and two disk figures") {
  const PastedText text = read_file("iperf3-fio-inline.txt");
  REQUIRE(text.figures.size() == 3);
  CHECK(text.figures[0].subject == PastedSubject::tcp);
  CHECK_THAT(megabits(text.figures[0]), WithinRel(2350.0));
  CHECK(text.figures[0].retransmits == 32);
  CHECK(text.figures[0].direction == Direction::write);

  const PastedFigure& read = text.figures[1];
  CHECK(read.tool == PastedTool::fio);
  CHECK(read.direction == Direction::read);
  CHECK_THAT(read.rate->megabytes_per_second(), WithinRel(4273.0, 0.001));
  CHECK(read.host == "nas");
  CHECK(read.path == "/mnt/pool0");
  CHECK(read.streams == 4);
  CHECK(read.request_size == ByteCount::mebibytes(1));
  CHECK(has_note(read, "maybe-cached"));

  CHECK(text.figures[2].direction == Direction::write);
  CHECK_THAT(text.figures[2].rate->megabytes_per_second(), WithinRel(838.9, 0.001));
}

TEST_CASE("rsync's MB are powers of 1024, and its rate is that before the flush") {
  const PastedText text = read_file("rsync-five-times.txt");
  REQUIRE(text.figures.size() == 6);
  const PastedFigure& first = text.figures[0];
  CHECK(first.tool == PastedTool::rsync);
  CHECK(first.subject == PastedSubject::file);
  CHECK(first.direction == Direction::write);
  CHECK(first.amount == ByteCount::bytes(6'518'974'464));
  CHECK_THAT(first.rate->megabytes_per_second(), WithinRel(808.13 * 1.048576, 1e-6));
  CHECK_THAT(first.duration->count(), WithinAbs(7.7, 0.1));
  CHECK(has_note(first, "before-flush"));
  CHECK(text.unread.empty());
}

TEST_CASE("the clock shows what the copies really took, hot or not") {
  for (const auto& [name, seconds] :
       {std::pair{"rsync-five-times.txt", 191.0}, {"rsync-five-times-hot.txt", 191.0}}) {
    const PastedText text = read_file(name);
    REQUIRE(text.figures.size() == 6);
    const PastedFigure& clock = text.figures[5];
    INFO(name);
    CHECK(has_note(clock, "by-the-clock"));
    CHECK_FALSE(has_note(clock, "before-flush"));
    CHECK_THAT(clock.duration->count(), WithinAbs(seconds, 1.0));
    CHECK_THAT(clock.rate->megabytes_per_second(), WithinRel(136.5, 0.01));
  }
}

TEST_CASE("timed checksums are times, and hash-bound when the core was full") {
  const PastedText text = read_file("sha1sum-local-five-times.txt");
  REQUIRE(text.figures.size() == 5);
  CHECK(text.figures[0].tool == PastedTool::checksum);
  CHECK(text.figures[0].subject == PastedSubject::disk);
  CHECK(text.figures[0].direction == Direction::read);
  CHECK_FALSE(text.figures[0].rate);
  CHECK_THAT(text.figures[0].duration->count(), WithinRel(3.271));
  CHECK_THAT(text.figures[0].processor_time->count(), WithinRel(3.259));
  CHECK(has_note(text.figures[0], "size-unknown"));
  CHECK(has_note(text.figures[0], "hash-bound"));
}

TEST_CASE("checksums over a share: the first run came over the network, the others out of memory") {
  const PastedText text = read_file("sha1sum-nfs-five-times.txt");
  REQUIRE(text.figures.size() == 5);
  CHECK(text.figures[0].subject == PastedSubject::file);
  CHECK_FALSE(has_note(text.figures[0], "client-cache"));
  CHECK_FALSE(has_note(text.figures[0], "hash-bound"));
  for (std::size_t i = 1; i < 5; ++i) CHECK(has_note(text.figures[i], "client-cache"));
}

TEST_CASE("top on a router: all in soft interrupts, and who is busy") {
  const PastedText text = read_file("top-router-softirq.txt");
  CHECK(text.figures.empty());
  REQUIRE(text.processors.size() == 1);
  const PastedProcessors& processors = text.processors[0];
  CHECK_THAT(processors.soft_interrupt_percent, WithinRel(95.1));
  CHECK(processors.idle_percent == 0);
  CHECK_THAT(processors.user_percent, WithinRel(2.2));
  REQUIRE(processors.busiest.size() == 8);
  CHECK(processors.busiest[0] == PastedProcessors::Process{.command = "ksoftirqd/1", .percent = 89.7});
  CHECK(text.notes.empty());
}

TEST_CASE("dladm in a single line is the received rate of an interface, of an unknown machine") {
  const PastedFigure figure = only_figure(read_file("dladm-one-line.txt"));
  CHECK(figure.tool == PastedTool::dladm);
  CHECK(figure.subject == PastedSubject::interface);
  CHECK(figure.path == "bge0");
  CHECK_FALSE(figure.direction);
  CHECK(has_note(figure, "direction-unknown"));
  CHECK_THAT(megabits(figure), WithinRel(215.0, 0.02));
  CHECK(figure.samples.size() == 21);
}

TEST_CASE("every pasted file gives something, and each line that gave nothing is named") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NASDIAG_TEST_DATA) + "/pasted")) {
    const PastedText text = read_file(entry.path().filename().string());
    INFO(entry.path());
    CHECK(text.figures.size() + text.processors.size() >= 1);
    CHECK(text.notes.empty());
    ++files;
  }
  CHECK(files >= 16);
}

TEST_CASE("iperf3 --bidir gives a figure for each way") {
  const PastedText text = read_pasted_text(
      "$ iperf3 -c nas --bidir\nConnecting to host nas, port 5201\n"
      "[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd\n"
      "[  5][TX-C]   0.00-1.00   sec  60.0 MBytes   503 Mbits/sec    3    200 KBytes\n"
      "[  7][RX-C]   0.00-1.00   sec   100 MBytes   839 Mbits/sec\n"
      "[  5][TX-C]   0.00-10.00  sec   600 MBytes   503 Mbits/sec    3             sender\n"
      "[  5][TX-C]   0.00-10.00  sec   599 MBytes   502 Mbits/sec                  receiver\n"
      "[  7][RX-C]   0.00-10.00  sec  1000 MBytes   839 Mbits/sec    0             sender\n"
      "[  7][RX-C]   0.00-10.00  sec   999 MBytes   838 Mbits/sec                  receiver\n");
  REQUIRE(text.figures.size() == 2);
  CHECK(text.figures[0].direction == Direction::write);
  CHECK_THAT(megabits(text.figures[0]), WithinRel(502.0));
  CHECK(text.figures[0].retransmits == 3);
  CHECK(text.figures[1].direction == Direction::read);
  CHECK_THAT(megabits(text.figures[1]), WithinRel(838.0));
}

TEST_CASE("a UDP test is no capacity") {
  const PastedFigure figure = only_figure(read_pasted_text(
      "iperf3 -u -c nas\n[ 5] 0.00-10.00 sec 1.25 MBytes 1.05 Mbits/sec 0.012 ms 0/906 (0%) receiver\n"));
  CHECK(has_note(figure, "udp-target-rate"));
}

TEST_CASE("rows without a command are taken for a client's") {
  const PastedFigure figure =
      only_figure(read_pasted_text("[ 5] 0.00-10.00 sec 1.09 GBytes 938 Mbits/sec receiver"));
  CHECK_THAT(megabits(figure), WithinRel(938.0));
  CHECK(figure.direction == Direction::write);
}

TEST_CASE("dd to a share with a flush is a write, without one it is an upper bound") {
  const PastedFigure flushed = only_figure(read_pasted_text(
      "dd if=/dev/urandom of=/mnt/nas/x bs=1M count=1024 conv=fdatasync\n1024+0 records in\n1024+0 "
      "records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 10 s, 107 MB/s\n"));
  CHECK(flushed.tool == PastedTool::dd);
  CHECK(flushed.direction == Direction::write);
  CHECK(flushed.subject == PastedSubject::file);
  CHECK_THAT(flushed.rate->megabytes_per_second(), WithinRel(107.374, 1e-4));
  CHECK(flushed.request_size == ByteCount::mebibytes(1));
  CHECK(flushed.notes.empty());

  const PastedFigure zeros = only_figure(read_pasted_text(
      "dd if=/dev/zero of=/mnt/nas/x bs=1M\n1073741824 bytes (1.1 GB) copied, 1.5 s, 716 MB/s\n"));
  CHECK(has_note(zeros, "before-flush"));
  CHECK(has_note(zeros, "compressible-data"));
}

TEST_CASE("dd from a share is a read, and BSD's line is read too") {
  const PastedFigure figure =
      only_figure(read_pasted_text("dd if=/mnt/nas/big of=/dev/null bs=1m\n1073741824 bytes transferred in "
                                   "9.1 secs (117993607 bytes/sec)\n"));
  CHECK(figure.direction == Direction::read);
  CHECK_THAT(figure.duration->count(), WithinRel(9.1));
}

TEST_CASE("rsync's summary stands in where no file's line is there") {
  const PastedText text = read_pasted_text(
      "rsync -a /home/me/iso/ /mnt/nas/iso/\n\nsent 6,520,566,104 bytes  received 35 bytes  111,462,669.04 "
      "bytes/sec\n"
      "total size is 6,518,974,464  speedup is 1.00\n");
  const PastedFigure figure = only_figure(text);
  CHECK(figure.direction == Direction::write);
  CHECK_THAT(figure.rate->megabytes_per_second(), WithinRel(111.46, 1e-3));
  CHECK(text.unread.empty());
}

TEST_CASE("scp counts in powers of 1024 and says which end is the other host") {
  const PastedFigure figure = only_figure(
      read_pasted_text("$ scp big.iso me@nas:/volume1/x/\nbig.iso          100% 6217MB 110.2MB/s   00:56\n"));
  CHECK(figure.tool == PastedTool::scp);
  CHECK(figure.direction == Direction::write);
  CHECK_THAT(figure.rate->megabytes_per_second(), WithinRel(110.2 * 1.048576, 1e-6));
  CHECK_THAT(figure.duration->count(), WithinRel(56.4, 0.01));
}

TEST_CASE("smbclient's put and get are read, its average is not counted twice") {
  const PastedText text = read_pasted_text(
      "putting file big as \\big (112345.6 kb/s) (average 112345.6 kb/s)\n"
      "getting file \\big of size 1073741824 as big (98765.4 KiloBytes/sec) (average 98765.4 "
      "KiloBytes/sec)\n");
  REQUIRE(text.figures.size() == 2);
  CHECK(text.figures[0].direction == Direction::write);
  CHECK(has_note(text.figures[0], "before-flush"));
  CHECK(text.figures[1].direction == Direction::read);
  CHECK_THAT(text.figures[1].rate->megabytes_per_second(), WithinRel(98765.4 * 1024 / 1e6, 1e-6));
}

TEST_CASE("hdparm's disk reads are a disk's, its cached reads are not taken") {
  const PastedText text = read_pasted_text(
      " Timing cached reads:   20000 MB in  2.00 seconds = 10000.00 MB/sec\n"
      " Timing buffered disk reads: 478 MB in  3.00 seconds = 159.33 MB/sec\n");
  const PastedFigure figure = only_figure(text);
  CHECK(figure.subject == PastedSubject::disk);
  CHECK_THAT(figure.rate->megabytes_per_second(), WithinRel(159.33 * 1.048576, 1e-6));
}

TEST_CASE("prose gives no figures and says what would be read") {
  const PastedText text = read_pasted_text("My NAS is slow, about 60 MB/s.\nWhat can I do?\n");
  CHECK(text.figures.empty());
  CHECK(text.unread.size() == 2);
  REQUIRE(text.notes.size() == 1);
  CHECK(text.notes[0].code == "nothing-recognised");
  CHECK_FALSE(read_pasted_text("").notes.empty());
}

TEST_CASE("any cut and any garbled byte leaves rates that can be rates, or none") {
  const auto check = [](std::string_view text) {
    for (const PastedFigure& figure : read_pasted_text(text).figures)
      if (figure.rate &&
          !(std::isfinite(figure.rate->bits_per_second()) && figure.rate->bits_per_second() >= 0))
        FAIL_CHECK("a rate of " << figure.rate->bits_per_second() << " from: " << text);
  };
  std::mt19937 generator(1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NASDIAG_TEST_DATA) + "/pasted")) {
    ++files;
    std::string text = file_text(entry.path().filename().string()).substr(0, 1500);
    for (std::size_t cut = 0; cut < text.size(); cut += 7) check(std::string_view(text).substr(0, cut));
    for (int i = 0; i < 200; ++i) {
      text[generator() % text.size()] = static_cast<char>(generator() % 256);
      check(text);
    }
  }
  CHECK(files > 10);
}
