#include "nasdiag/disk_command.hpp"

#include "diagnose/formats/fio_json.hpp"
#include "diagnose/report/disk_text.hpp"
#include "diagnose/report/json_text.hpp"
#include "nasdiag/command_line.hpp"
#include "nasdiag/disk_options.hpp"
#include "nasdiag/interrupt.hpp"
#include "nasdiag/live_progress.hpp"
#include "nasdiag/terminal.hpp"

#include <diskbench/disk_benchmark.hpp>
#include <diskbench/error.hpp>
#include <measure/scratch_folder.hpp>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <system_error>

namespace nasdiag::app {

namespace {

using diskbench::DiskResult;
using diskbench::StopReason;

// Between workloads: a disk or a limiter that saved up a burst for the next kind of request spends it on
// nobody.
constexpr std::chrono::milliseconds kRest{500};

void rest(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait_for(lock, stop, kRest, [] { return false; });
}

std::vector<DiskResult> measure_all(const DiskRequest& request, const Interrupt& interrupt) {
  LiveProgress progress;
  measure::remove_stale_scratch_folders(request.directory);
  diskbench::TestFile file(request.directory);
  std::vector<DiskResult> results;
  for (const diskbench::DiskOptions& options : request.workloads) {
    if (!results.empty()) rest(interrupt.token());
    results.push_back(diskbench::measure_disk(file, options, progress, interrupt.token()));
    const StopReason reason = results.back().stop_reason;
    if (interrupt.interrupted() || reason == StopReason::stuck || reason == StopReason::no_space) break;
  }
  return results;
}

// What was asked for makes no sense: a matter of usage.
std::vector<DiskResult> measured(const DiskRequest& request, const Interrupt& interrupt) try {
  return measure_all(request, interrupt);
} catch (const std::system_error& error) {
  using diskbench::Errc;
  for (const Errc code : {Errc::bad_options, Errc::too_much_memory, Errc::direct_unsupported})
    if (error.code() == code) throw UsageError(error.what());
  throw;
}

void print(const DiskRequest& request, const std::vector<DiskResult>& results) {
  if (!request.json_file.empty())
    report::write_text_file(request.json_file,
                            report::json_text(formats::fio_json(results, std::chrono::system_clock::now())));
  if (request.json_file == "-") return;
  const report::TextStyle style{.width = terminal_width(1), .colour = wants_colour(1)};
  std::cout << (request.cdm_table ? report::cdm_text(results, style) : report::disk_text(results, style));
}

int exit_code(const std::vector<DiskResult>& results, const Interrupt& interrupt) {
  if (interrupt.interrupted()) return kInterrupted;
  for (const DiskResult& result : results)
    if (result.stop_reason == StopReason::stuck || result.stop_reason == StopReason::error ||
        result.stop_reason == StopReason::no_space || result.error_count > 0)
      return kLayerFailed;
  return kDone;
}

}  // namespace

int run_disk_command(const std::vector<std::string>& arguments) {
  const auto request = parse_disk_request(arguments);
  if (!request) return kDone;
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error like any other
  const Interrupt interrupt;
  const std::vector<DiskResult> results = measured(*request, interrupt);
  print(*request, results);
  return exit_code(results, interrupt);
}

}  // namespace nasdiag::app
