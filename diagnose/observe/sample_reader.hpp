#pragma once

// Fills samples from /proc and /sys below a root folder. Files stay open between readings, which halves the
// cost; one that is missing or stops being readable leaves its part of the sample empty.

#include <diagnose/observe/counters.hpp>
#include <diagnose/observe/pause_frames.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::observe {

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file);
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // Its text now, into `buffer`; empty if it can't be read.
  std::string_view read(std::string& buffer) const;

 private:
  int file_;
};

struct SampleReaderOptions {
  std::filesystem::path root = "/";
  std::vector<std::string> nics;  // of which CRC errors, carrier changes and pause frames are wanted
  bool ask_kernel = true;         // for pause frames
};

class SampleReader {
 public:
  explicit SampleReader(SampleReaderOptions options);

  // Cores, interfaces, disks, dirty pages: about 0.1 ms.
  void read_fast(Sample& sample);
  // What rises and falls slowly: temperature, the limit of dirty pages.
  void read_gauges(Sample& sample);
  // All the rest: wanted at the beginning and the end of a window only.
  void read_counters(Sample& sample);
  // Control groups whose processor limits count: those of the processes named. Looked up anew each time.
  void follow_groups_of(const std::vector<int>& processes);

 private:
  std::vector<NicExtras> read_nic_extras() const;
  HeatGauges read_heat();

  SampleReaderOptions options_;
  std::string buffer_;
  OpenFile stat_, net_dev_, diskstats_, meminfo_, vmstat_;
  OpenFile snmp_, netstat_, softnet_, cpu_pressure_, io_pressure_, memory_pressure_;
  PauseFrameReader pause_;
  std::vector<std::filesystem::path> groups_;
  std::vector<std::filesystem::path> heat_sensors_, throttle_counts_;
};

}  // namespace nasdiag::observe
