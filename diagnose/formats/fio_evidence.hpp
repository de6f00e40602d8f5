#pragma once

// fio's results as evidence: which machine's disk was it?

#include <diagnose/evidence/evidence.hpp>
#include <diskbench/result.hpp>

#include <string>
#include <vector>

namespace nasdiag::formats {

struct FioSource {
  std::string name;         // of the file
  bool ran_on_nas = false;  // said by whoever gave it
};

// Where a folder lies, judged by its name alone.
enum class Place {
  nas,    // a pool or volume, as NAS systems name them
  share,  // where shares are mounted
  client  // anything else
};
Place place_of(const std::string& folder);

// The jobs of one name are added up, as one job with many processes is. The first figure of a direction
// counts; what is left out, and what a file's machine was guessed from, goes into `evidence.notes`.
void add_fio_results(const std::vector<diskbench::DiskResult>& results, const FioSource& source,
                     evidence::Evidence& evidence);

}  // namespace nasdiag::formats
