#pragma once

// The experiments of `nasdiag file`, by name.

#include <filebench/mount.hpp>
#include <filebench/transfer_benchmark.hpp>
#include <measure/progress.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nasdiag::app {

struct FileSettings {
  filebench::SessionOptions session;
  std::vector<std::string> experiments;  // names, in the order to run
  filebench::ByteCount size = filebench::ByteCount::gibibytes(1);
  filebench::Seconds time_limit{10.0};             // of each experiment
  std::optional<filebench::ByteCount> piece_size;  // of reads and writes; else what suits each
  std::vector<std::size_t> parallel{1, 2, 4, 8};
  int repeats = 1;
  bool verify = true;  // hash what is read
  std::size_t small_files = 500;
  filebench::ByteCount small_file_size = filebench::ByteCount::kibibytes(4);
  std::string user_file;
};

using FileResult =
    std::variant<filebench::TransferResult, filebench::SweepResult, filebench::SmallFilesResult,
                 filebench::ListingResult, filebench::CommitResult>;

struct FileExperiment {
  std::string name;
  FileResult result;
};

struct FileReport {
  filebench::Mount mount;
  std::vector<FileExperiment> experiments;
};

// All names, in their usual order; and those that run unless others are asked for.
std::vector<std::string_view> all_file_experiments();
std::vector<std::string> usual_file_experiments(bool with_local_folder);

// Throws std::system_error if the mount can't be measured at all.
FileReport run_file_experiments(const FileSettings& settings, measure::ProgressObserver& progress,
                                const std::stop_token& stop);

filebench::Outcome outcome_of(const FileResult& result);

}  // namespace nasdiag::app
