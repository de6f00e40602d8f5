#include "nasdiag/disk_options.hpp"

#include "nasdiag/command_line.hpp"

#include <diskbench/preset.hpp>
#include <diskbench/words.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <sstream>

namespace nasdiag::app {

namespace {

using diskbench::DiskOptions;
using diskbench::Pattern;
using measure::ByteCount;

constexpr Help kHelp{.usage = "nasdiag disk DIR [--preset NAME | --rw PATTERN[,PATTERN…]] [options]",
                     .description =
                         "Measures the disk under a folder past the page cache, in a file of its own that is "
                         "removed again. The words "
                         "are fio's. Writes count until they are durable. Without --runtime a measurement "
                         "ends when its figure is "
                         "known to ±3 %.",
                     .examples =
                         "  nasdiag disk /srv/data                             a short look\n"
                         "  nasdiag disk /srv/data --preset cdm                CrystalDiskMark's four tests\n"
                         "  nasdiag disk . --rw randread --bs 4k --iodepth 32  as fio would\n"};

po::options_description described() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("dir", po::value<std::string>(), "folder to measure in (the word DIR)");
  add("preset", po::value<std::string>(), "quick (default), nas, video, cdm, cdm-nvme");
  add("rw", po::value<std::string>(), "read, write, randread, randwrite, rw, randrw; several with commas");
  add("bs", po::value<std::string>(), "bytes per request (1M; 4k where random)");
  add("iodepth", po::value<unsigned>(), "requests in flight per job (8; 32 where random)");
  add("numjobs", po::value<unsigned>(), "jobs, each with a region of its own (1)");
  add("size", po::value<std::string>(), "region of each job, 1G");
  add("runtime", po::value<std::string>(), "time to measure, all of it");
  add("ramp-time", po::value<std::string>(), "load before the measuring begins");
  add("rwmixread", po::value<int>(), "percent of reads in rw and randrw (50)");
  add("direct", po::value<std::string>(),
      "auto (default), 1: past the page cache or not at all, 0: through it");
  add("fsync", po::value<unsigned>(), "fsync after every N writes");
  add("fdatasync", po::value<unsigned>(), "fdatasync after every N writes");
  add("end-fsync", po::bool_switch(), "fsync at the end, in place of fdatasync");
  add("sync", po::value<std::string>(), "none, dsync, sync: each write durable before it counts");
  add("rate", po::value<std::string>(), "ceiling per job and direction, 100MB/s");
  add("norandommap", po::bool_switch(), "random offsets may come twice before all came once");
  add("ioengine", po::value<std::string>(), "auto (default), io_uring, blocking, null");
  add("sqthread-poll", po::bool_switch(), "a kernel thread fetches the requests");
  add("hipri", po::bool_switch(), "poll for completions");
  add("json", po::value<std::string>(), "write the result as fio would (- is standard output)");
  return options;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& possible) {
  throw UsageError("--" + option + " " + text + " makes no sense; " + possible);
}

std::optional<std::string> word(const po::variables_map& values, const char* option) {
  if (values.count(option) == 0) return std::nullopt;
  return values[option].as<std::string>();
}

template <class T>
void read_value(const po::variables_map& values, const char* option,
                std::optional<T> (*parse)(std::string_view), const char* possible, T& into) {
  const auto text = word(values, option);
  if (!text) return;
  const auto value = parse(*text);
  if (!value) refuse(option, *text, possible);
  into = *value;
}

template <class T>
void read_number(const po::variables_map& values, const char* option, T& into) {
  if (values.count(option) != 0) into = values[option].as<T>();
}

std::optional<diskbench::Direct> parse_direct(std::string_view text) {
  if (text == "1") return diskbench::Direct::on;
  if (text == "0") return diskbench::Direct::off;
  return diskbench::direct_from_text(text);
}

void read_sizes(const po::variables_map& values, DiskOptions& options) {
  read_value<ByteCount>(values, "bs", measure::parse_byte_count, "name a size like 4k or 1M",
                        options.block_size);
  read_value<ByteCount>(values, "size", measure::parse_byte_count, "name a size like 512M or 4G",
                        options.size);
  read_number(values, "iodepth", options.io_depth);
  read_number(values, "numjobs", options.jobs);
  read_number(values, "rwmixread", options.read_percent);
  read_number(values, "fsync", options.fsync_every);
  read_number(values, "fdatasync", options.fdatasync_every);
}

void read_times(const po::variables_map& values, DiskOptions& options) {
  constexpr const char* kPossible = "name a time like 10, 30s or 2m";
  read_value<std::chrono::milliseconds>(values, "runtime", measure::parse_duration, kPossible,
                                        options.runtime);
  read_value<std::chrono::milliseconds>(values, "ramp-time", measure::parse_duration, kPossible,
                                        options.ramp_time);
  if (values.count("runtime") != 0) options.precision.reset();
}

void read_ways(const po::variables_map& values, DiskOptions& options) {
  read_value<diskbench::Direct>(values, "direct", parse_direct, "possible are auto, 0 and 1", options.direct);
  read_value<diskbench::Sync>(values, "sync", diskbench::sync_from_text, "possible are none, dsync and sync",
                              options.sync);
  read_value<diskbench::EngineChoice>(values, "ioengine", diskbench::engine_choice_from_text,
                                      "possible are auto, io_uring, blocking and null", options.engine);
  measure::DataRate rate;
  read_value<measure::DataRate>(values, "rate", measure::parse_data_rate, "name a rate like 100MB/s", rate);
  if (values.count("rate") != 0) options.rate = rate;
  options.end_fsync = values["end-fsync"].as<bool>();
  options.sq_poll = values["sqthread-poll"].as<bool>();
  options.io_poll = values["hipri"].as<bool>();
  if (values["norandommap"].as<bool>()) options.random_map = false;
}

void read_common(const po::variables_map& values, DiskOptions& options) {
  read_sizes(values, options);
  read_times(values, options);
  read_ways(values, options);
}

DiskOptions workload_of(Pattern pattern) {
  DiskOptions options{.pattern = pattern};
  if (!is_random(pattern)) return options;
  options.block_size = ByteCount::kibibytes(4);
  options.io_depth = 32;
  return options;
}

std::vector<DiskOptions> workloads_of_list(const std::string& list) {
  std::vector<DiskOptions> workloads;
  std::istringstream words(list);
  std::string text;
  while (std::getline(words, text, ',')) {
    const auto pattern = diskbench::pattern_from_text(text == "readwrite" ? "rw" : text);
    if (!pattern) refuse("rw", text, "possible are read, write, randread, randwrite, rw and randrw");
    workloads.push_back(workload_of(*pattern));
  }
  if (workloads.empty()) refuse("rw", list, "name a pattern like randread");
  return workloads;
}

std::vector<DiskOptions> workloads_of_preset(const po::variables_map& values, bool& cdm_table) {
  const std::string name = word(values, "preset").value_or("quick");
  const auto preset = diskbench::preset_from_text(name);
  if (!preset) refuse("preset", name, "possible are quick, nas, video, cdm and cdm-nvme");
  for (const char* option : {"bs", "iodepth", "numjobs", "rwmixread", "fsync", "fdatasync", "sync"})
    if (values.count(option) != 0)
      throw UsageError(std::string("--") + option + " goes with --rw; a preset has its own");
  cdm_table = *preset == diskbench::Preset::cdm || *preset == diskbench::Preset::cdm_nvme;
  ByteCount size = ByteCount::gibibytes(1);
  read_value<ByteCount>(values, "size", measure::parse_byte_count, "name a size like 512M or 4G", size);
  return diskbench::workloads(*preset, size);
}

}  // namespace

std::optional<DiskRequest> parse_disk_request(const std::vector<std::string>& arguments) {
  po::positional_options_description positional;
  positional.add("dir", 1);
  const ParsedOptions parsed = parse_options(arguments, described(), positional, kHelp);
  if (parsed.help_shown) return std::nullopt;
  const po::variables_map& values = parsed.values;
  if (values.count("dir") == 0) throw UsageError("name the folder to measure in: nasdiag disk DIR");
  if (values.count("rw") != 0 && values.count("preset") != 0)
    throw UsageError("--preset and --rw exclude each other");

  DiskRequest request{.directory = values["dir"].as<std::string>(),
                      .json_file = word(values, "json").value_or("")};
  const bool from_preset = values.count("rw") == 0;
  request.workloads = from_preset ? workloads_of_preset(values, request.cdm_table)
                                  : workloads_of_list(values["rw"].as<std::string>());
  for (DiskOptions& options : request.workloads) {
    const ByteCount size = options.size;
    read_common(values, options);
    if (from_preset) options.size = size;  // shared out among the preset's jobs already
  }
  return request;
}

}  // namespace nasdiag::app
