#include "nasdiag/file_experiments.hpp"

#include "nasdiag/mount_way.hpp"

#include <algorithm>
#include <array>

namespace nasdiag::app {

namespace {

using filebench::ByteCount;
using filebench::CopyMode;
using filebench::FileSession;
using filebench::ReadCache;
using filebench::ReadOptions;

struct Run {
  const FileSettings& settings;
  FileSession& session;
  measure::ProgressObserver& progress;
  std::stop_token stop;
  FileReport& report;

  void add(std::string name, FileResult result) {
    report.experiments.push_back({std::move(name), std::move(result)});
  }
  ByteCount piece(ByteCount usual) const { return settings.piece_size.value_or(usual); }
};

constexpr ByteCount kMebibyte = ByteCount::mebibytes(1);
constexpr ByteCount kPieceOfCp = ByteCount::kibibytes(128);

ReadOptions read_options(const Run& run) {
  ReadOptions options;
  options.size = run.settings.size;
  options.time_limit = run.settings.time_limit;
  options.piece_size = run.settings.piece_size;
  options.repeats = run.settings.repeats;
  options.hash = run.settings.verify;
  return options;
}

void write(Run& run) {
  run.add("write", run.session.measure_write({.size = run.settings.size,
                                              .time_limit = run.settings.time_limit,
                                              .piece_size = run.settings.piece_size,
                                              .repeats = run.settings.repeats},
                                             run.progress, run.stop));
}

void read(Run& run) { run.add("read", run.session.measure_read(read_options(run), run.progress, run.stop)); }

void read_warm(Run& run) {
  ReadOptions options = read_options(run);
  options.cache = ReadCache::keep;
  run.add("warm", run.session.measure_read(options, run.progress, run.stop));
}

void read_user_file(Run& run) {
  ReadOptions options = read_options(run);
  options.user_file = run.settings.user_file;
  if (!options.user_file.empty())
    run.add("read " + run.settings.user_file, run.session.measure_read(options, run.progress, run.stop));
}

// Small buffered reads against large ones and against O_DIRECT: shows a read-ahead that is too small.
void read_ahead(Run& run) {
  ReadOptions options = read_options(run);
  options.repeats = 1;
  options.hash = false;
  options.piece_size = kPieceOfCp;
  run.add("read in 128 KiB pieces", run.session.measure_read(options, run.progress, run.stop));
  options.piece_size = ByteCount::mebibytes(4);
  run.add("read in 4 MiB pieces", run.session.measure_read(options, run.progress, run.stop));
  options.path = filebench::ReadPath::direct;
  run.add("read past the page cache", run.session.measure_read(options, run.progress, run.stop));
}

void copy(Run& run) {
  for (const CopyMode mode : {CopyMode::as_cp, CopyMode::overlapped}) {
    const filebench::CopyOptions options{
        .size = run.settings.size,
        .time_limit = run.settings.time_limit,
        .piece_size = run.piece(mode == CopyMode::as_cp ? kPieceOfCp : kMebibyte),
        .mode = mode,
        .repeats = run.settings.repeats};
    const std::string how = mode == CopyMode::as_cp ? ", as cp does" : ", overlapped";
    run.add("copy to" + how, run.session.measure_copy_to(options, run.progress, run.stop));
    run.add("copy from" + how, run.session.measure_copy_from(options, run.progress, run.stop));
  }
}

void parallel(Run& run) {
  for (const std::size_t files : run.settings.parallel) {
    const std::string how = ", " + std::to_string(files) + (files == 1 ? " file" : " files");
    run.add("write" + how, run.session.measure_write({.size = run.settings.size,
                                                      .time_limit = run.settings.time_limit,
                                                      .piece_size = run.settings.piece_size,
                                                      .files = files},
                                                     run.progress, run.stop));
    ReadOptions options = read_options(run);
    options.files = files;
    options.repeats = 1;
    run.add("read" + how, run.session.measure_read(options, run.progress, run.stop));
  }
}

void requests(Run& run) {
  for (const measure::Direction direction : {measure::Direction::write, measure::Direction::read})
    run.add(std::string("requests, ") + to_string(direction),
            run.session.measure_requests({.direction = direction}, run.progress, run.stop));
}

void small_files(Run& run) {
  for (const std::size_t threads : {std::size_t{1}, std::size_t{8}})
    run.add("small files, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
            run.session.measure_small_files({.files = run.settings.small_files,
                                             .file_size = run.settings.small_file_size,
                                             .threads = threads},
                                            run.progress, run.stop));
  run.add(
      "small files, each flushed",
      run.session.measure_small_files(
          {.files = run.settings.small_files / 2, .file_size = run.settings.small_file_size, .fsync = true},
          run.progress, run.stop));
}

void listing(Run& run) { run.add("listing", run.session.measure_listing({}, run.progress, run.stop)); }

void commits(Run& run) { run.add("commits", run.session.measure_commits({}, run.progress, run.stop)); }

struct NamedExperiment {
  std::string_view name;
  void (*run)(Run&);
};

constexpr std::array kExperiments{NamedExperiment{"write", write},
                                  NamedExperiment{"read", read},
                                  NamedExperiment{"warm", read_warm},
                                  NamedExperiment{"copy", copy},
                                  NamedExperiment{"commits", commits},
                                  NamedExperiment{"small", small_files},
                                  NamedExperiment{"listing", listing},
                                  NamedExperiment{"requests", requests},
                                  NamedExperiment{"read-ahead", read_ahead},
                                  NamedExperiment{"parallel", parallel},
                                  NamedExperiment{"user-file", read_user_file}};

}  // namespace

std::vector<std::string_view> all_file_experiments() {
  std::vector<std::string_view> names;
  for (const NamedExperiment& experiment : kExperiments) names.push_back(experiment.name);
  return names;
}

std::vector<std::string> usual_file_experiments(bool with_local_folder) {
  std::vector<std::string> names{"write", "read", "commits", "small"};
  if (with_local_folder) names.insert(names.begin() + 2, "copy");
  return names;
}

FileReport run_file_experiments(const FileSettings& settings, measure::ProgressObserver& progress,
                                const std::stop_token& stop) {
  FileReport report;
  report.mount = filebench::find_mount(settings.session.mount_folder,
                                       {.worker_program = settings.session.worker_program});
  filebench::SessionOptions session_options = settings.session;
  if (!session_options.link_rate) session_options.link_rate = link_rate_to(report.mount);
  FileSession session(session_options, stop);
  Run run{.settings = settings, .session = session, .progress = progress, .stop = stop, .report = report};
  for (const std::string& name : settings.experiments) {
    if (stop.stop_requested()) break;
    const auto experiment = std::find_if(kExperiments.begin(), kExperiments.end(),
                                         [&](const NamedExperiment& entry) { return entry.name == name; });
    if (experiment != kExperiments.end()) experiment->run(run);
  }
  if (auto note = filebench::judge_read_ahead(report.mount, round_trip_to(report.mount)))
    report.mount.suspicious.push_back(*note);
  return report;
}

filebench::Outcome outcome_of(const FileResult& result) {
  return std::visit([](const auto& value) { return value.outcome; }, result);
}

}  // namespace nasdiag::app
