#pragma once

// The command line of `nasdiag disk`, in fio's words.

#include <diskbench/options.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::app {

struct DiskRequest {
  std::filesystem::path directory;
  std::vector<diskbench::DiskOptions> workloads;  // one after the other, on one file
  bool cdm_table = false;
  std::string json_file;  // empty: none
};

// Nothing if help was shown. Throws UsageError.
std::optional<DiskRequest> parse_disk_request(const std::vector<std::string>& arguments);

}  // namespace nasdiag::app
