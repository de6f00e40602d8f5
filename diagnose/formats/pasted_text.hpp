#pragma once

// Reads what people paste into a thread or a wiki: the printed output of iperf3, iperf, rsync, dd, sha1sum
// with `time`, fio, top and dladm, in any order, with lines joined, brackets lost, typos and cut-off ends.
//
// Every figure says what it took from where, in the right unit (the tools disagree on what "MB" means), and
// what qualifies it. What can't be known from the text (which of two machines is the NAS, the size of a file)
// stays empty and has a note; nothing is guessed silently. Pure functions; any text is fine, none makes them
// throw.

#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <measure/sample_series.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::formats {

enum class PastedTool { iperf3, iperf2, rsync, dd, checksum, fio, dladm, scp, smbclient, hdparm };

// What a figure is a figure of.
enum class PastedSubject {
  tcp,       // memory to memory over the network
  disk,      // a file system of the machine it ran on
  file,      // a file copied or read, over a mount if its path says so
  interface  // what a network interface counted
};

struct PastedFigure {
  PastedTool tool = PastedTool::iperf3;
  PastedSubject subject = PastedSubject::tcp;
  // Seen from the machine the text comes from, taking that to be the client and the other one the NAS. For
  // disks, reading or writing. Empty if the text doesn't tell or contradicts itself.
  std::optional<measure::Direction> direction;
  std::optional<measure::DataRate>
      rate;  // mean over the run, what the receiver got; empty: only times are known
  std::optional<measure::ByteCount> amount;
  std::optional<measure::Seconds> duration;
  std::optional<measure::Seconds> processor_time;  // user and system together, where `time` printed it
  int streams = 1;
  std::optional<std::int64_t> retransmits;
  std::optional<measure::ByteCount> window;        // socket buffer that iperf says it has
  std::optional<measure::ByteCount> request_size;  // fio's bs, dd's bs
  std::string peer;                                // the server asked for
  std::string host;                                // the machine it ran on, if a prompt shows it
  std::string local_address, peer_address;         // of the connection, as printed
  std::string path;                                // the file or folder
  measure::SampleSeries samples;                   // per interval, all streams together
  std::size_t line = 0;                            // where it begins, from 1
  std::string source;                              // the file it comes from; empty: there is only one
  bool on_nas = false;                             // the reader of the text says that it ran there
  measure::Notes notes;
  bool operator==(const PastedFigure&) const = default;
};

// One picture of a machine's processors, from top.
struct PastedProcessors {
  double user_percent = 0;
  double system_percent = 0;
  double soft_interrupt_percent = 0;
  double wait_percent = 0;
  double steal_percent = 0;
  double idle_percent = 0;
  struct Process {
    std::string command;
    double percent = 0;  // of one core
    bool operator==(const Process&) const = default;
  };
  std::vector<Process> busiest;  // as listed, those with 10 % or more
  std::size_t line = 0;
  bool operator==(const PastedProcessors&) const = default;
};

struct PastedText {
  std::vector<PastedFigure> figures;
  std::vector<PastedProcessors> processors;
  std::vector<std::string> unread;  // lines that nothing was taken from and that are no known ornament
  measure::Notes notes;             // about the text as a whole: cut off, nothing recognised
  bool operator==(const PastedText&) const = default;
};

PastedText read_pasted_text(std::string_view text);

constexpr const char* to_string(PastedTool tool) {
  switch (tool) {
    case PastedTool::iperf3:
      return "iperf3";
    case PastedTool::iperf2:
      return "iperf";
    case PastedTool::rsync:
      return "rsync";
    case PastedTool::dd:
      return "dd";
    case PastedTool::checksum:
      return "checksum";
    case PastedTool::fio:
      return "fio";
    case PastedTool::dladm:
      return "dladm";
    case PastedTool::scp:
      return "scp";
    case PastedTool::smbclient:
      return "smbclient";
    case PastedTool::hdparm:
      return "hdparm";
  }
  return "";
}

constexpr const char* to_string(PastedSubject subject) {
  switch (subject) {
    case PastedSubject::tcp:
      return "tcp";
    case PastedSubject::disk:
      return "disk";
    case PastedSubject::file:
      return "file";
    case PastedSubject::interface:
      return "interface";
  }
  return "";
}

}  // namespace nasdiag::formats
