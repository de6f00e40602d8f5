#include "diagnose/verdict/causes/situation.hpp"

#include <algorithm>
#include <array>

// The figure is wrong, not the system. These name no layer; they say why a figure was set aside.

namespace nasdiag::verdict {

namespace {

std::optional<Sign> of_note(const Situation& s, std::string_view code) {
  if (const auto* note = s.note(code)) return Sign{.strength = strength::kNamed, .evidence = {note->text}};
  return std::nullopt;
}

std::optional<Sign> set_aside(const Situation& s, std::string_view code) {
  for (const measure::Note& note : s.figures.set_aside)
    if (note.code == code) return Sign{.strength = strength::kNamed, .evidence = {note.text}};
  return std::nullopt;
}

std::optional<Sign> client_page_cache_read(const Situation& s) {
  if (s.writes()) return std::nullopt;
  for (const char* code :
       {"above-link", "above-tcp", "served-from-client", "faster-than-link", "client-cache"})
    if (auto sign = set_aside(s, code)) return sign;
  return of_note(s, "client-cache");
}

std::optional<Sign> page_cache_write(const Situation& s) {
  if (!s.writes()) return std::nullopt;
  for (const char* code : {"above-link", "above-tcp", "not-all-sent", "faster-than-link"})
    if (auto sign = set_aside(s, code)) return sign;
  return of_note(s, "before-flush");
}

std::optional<Sign> server_ram_cache(const Situation& s) {
  if (auto sign = set_aside(s, "above-nas-disk")) return sign;
  return s.writes() ? std::nullopt : of_note(s, "maybe-cached");
}

std::optional<Sign> udp_defaults(const Situation& s) { return of_note(s, "udp-target-rate"); }

std::optional<Sign> wrong_interface(const Situation& s) { return of_note(s, "mount-other-way"); }

// One process of iperf3 before 3.16 has one thread, whatever its -P.
std::optional<Sign> tool_single_thread(const Situation& s) {
  constexpr double kFullPercent = 95;
  constexpr double kMostPercent = 110;
  for (const evidence::Experiment& experiment : s.evidence.experiments) {
    const auto* result = std::get_if<netbench::TcpResult>(&experiment.result);
    if (result == nullptr || experiment.origin.empty() || experiment.direction != s.figures.direction)
      continue;
    for (const auto& cpu : {result->local_cpu, result->remote_cpu})
      if (cpu && cpu->total >= kFullPercent && cpu->total <= kMostPercent)
        return Sign{.strength = strength::kGood,
                    .evidence = {"iperf3 itself was at one full core: the network may carry more."}};
  }
  return std::nullopt;
}

constexpr std::array kCauses{
    Cause{.id = "bench/client-page-cache-read",
          .layer = {},
          .meaning = "the client's memory was read",
          .seen = "a read faster than TCP, or the second read of the same file",
          .against = "the file was never read on this computer",
          .look_alikes = {{{"bench/server-ram-cache", "Count the bytes of the interface during the read."}}},
          .advice =
              "Drop the file's pages first (`sync; echo 3 > /proc/sys/vm/drop_caches`) or read directly (`dd "
              "iflag=direct`).",
          .gain = "none: the figure changes, not the system",
          .recognise = client_page_cache_read},
    Cause{.id = "bench/o-direct",
          .layer = {},
          .meaning = "direct I/O measures something else",
          .seen = "O_DIRECT over a mount or on ZFS, at half the buffered rate",
          .against = "the user's program uses direct I/O too",
          .look_alikes = {{{"mount/small-write-size", "Measure buffered with one fsync at the end."}}},
          .advice = "Measure as programs copy: buffered, with one fsync at the end.",
          .gain = "none: the figure changes, not the system",
          .recognise = nullptr},
    Cause{.id = "bench/page-cache-write",
          .layer = {},
          .meaning = "rate before the flush",
          .seen = "a write faster than TCP; a progress bar that is done long before the prompt comes back",
          .against = "fsync is inside the time",
          .look_alikes = {{{"link/nic-thermal",
                            "Compare the wall time of the copies, not the printed rates."}}},
          .advice = "Count until the data is on the NAS: `dd conv=fsync`, or `time (cp FILE MOUNT && sync)`.",
          .gain = "none: the figure changes, not the system",
          .recognise = page_cache_write},
    Cause{
        .id = "bench/server-ram-cache",
        .layer = {},
        .meaning = "the server's memory was read",
        .seen = "more than the disks can: the second read, or a file that fits the NAS's memory",
        .against = "the file is larger than the NAS's memory",
        .look_alikes = {{{"bench/client-page-cache-read",
                          "Count the bytes of the interface during the read."}}},
        .advice = "Read a file that the NAS has not touched since its start, or more than its memory holds.",
        .gain = "none: the figure changes, not the system",
        .recognise = server_ram_cache},
    Cause{.id = "bench/compressible-data",
          .layer = {},
          .meaning = "zeros on a compressing file system",
          .seen = "if=/dev/zero, or a file that takes less space than its size (`du` against `ls -l`)",
          .against = "the data is random",
          .look_alikes = {{{"bench/server-ram-cache", "Compare `du` with `ls -l` of the file."}}},
          .advice = "Measure with data that can't be compressed, made before the clock starts.",
          .gain = "none: the figure changes, not the system",
          .recognise = nullptr},
    Cause{.id = "bench/endpoint-cpu",
          .layer = {},
          .meaning = "weak endpoint of the test",
          .seen = "another endpoint on the same switch is faster",
          .against = "the endpoint is the NAS itself",
          .look_alikes = {{{"nas-cpu/small-cpu", "Measure between the two machines that copy."}}},
          .advice = "Measure between the two machines that copy, not with the router as an end.",
          .gain = "none: the figure changes, not the system",
          .recognise = nullptr},
    Cause{.id = "bench/fsync-per-write",
          .layer = {},
          .meaning = "the tool syncs each block",
          .seen = "--fsync=1, oflag=sync or iperf3 -F",
          .against = "one fsync at the end",
          .look_alikes = {{{"nas-disk/sync-write", "Measure with one fsync at the end: `dd conv=fsync`."}}},
          .advice = "Measure the rate with one fsync at the end, and the commit as a figure of its own.",
          .gain = "none: the figure changes, not the system",
          .recognise = nullptr},
    Cause{.id = "bench/random-source-cpu",
          .layer = {},
          .meaning = "the random generator is the limit",
          .seen = "if=/dev/urandom at a full core",
          .against = "the data was made before the clock started",
          .look_alikes = {{{"nas-disk/slow-hdd",
                            "Measure the source alone: `dd if=/dev/urandom of=/dev/null bs=1M`."}}},
          .advice = "Make the random data before the clock starts.",
          .gain = "none: the figure changes, not the system",
          .recognise = nullptr},
    Cause{
        .id = "bench/tool-single-thread",
        .layer = {},
        .meaning = "the test tool is at one core",
        .seen = "iperf3 at 95 to 110 % of a core at either end",
        .against = "it idles",
        .look_alikes = {{{"tcp/single-stream", "Use iperf3 3.16 or newer, or two processes on two ports."}}},
        .advice = "Use iperf3 3.16 or newer (one thread per stream), or two processes on two ports.",
        .gain = "none: the figure changes, not the system",
        .recognise = tool_single_thread},
    Cause{.id = "bench/udp-defaults",
          .layer = {},
          .meaning = "UDP target rate",
          .seen = "iperf -u without -b: 1 Mbit/s, or the rate it was told",
          .against = "TCP",
          .look_alikes = {{{"path/packet-loss", "Measure with TCP."}}},
          .advice = "Measure with TCP.",
          .gain = "none: the figure changes, not the system",
          .recognise = udp_defaults},
    Cause{.id = "bench/wrong-interface",
          .layer = {},
          .meaning = "the test took another interface than the mount",
          .seen = "the counters of the mount's interface stand still during the test",
          .against = "they count",
          .look_alikes = {{{"path/wrong-interface", "Measure to the address that the mount uses."}}},
          .advice = "Measure to the address that the mount uses (`findmnt`).",
          .gain = "none: the figure changes, not the system",
          .recognise = wrong_interface},
};

}  // namespace

std::span<const Cause> bench_causes() { return kCauses; }

}  // namespace nasdiag::verdict
