#include "nasdiag/file_command.hpp"

#include "nasdiag/command_line.hpp"
#include "nasdiag/file_text.hpp"
#include "nasdiag/interrupt.hpp"
#include "nasdiag/live_progress.hpp"
#include "nasdiag/terminal.hpp"

#include <diagnose/report/json_text.hpp>
#include <filebench/error.hpp>
#include <filebench/worker.hpp>
#include <measure/quantity_text.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace nasdiag::app {

namespace {

constexpr Help kHelp{
    .usage = "nasdiag file DIR [options]",
    .description =
        "Measures files over the mount that DIR lies on: durable writes, reads past this machine's cache,\n"
        "copies from and to --local, small files, commits. All is made in a fresh folder named .nasdiag-…\n"
        "under DIR and removed again; nothing else there is touched.",
    .examples =
        "  nasdiag file /mnt/nas --local /data\n"
        "  nasdiag file /mnt/nas --experiments write,read --size 4G --repeats 3 --hash sha256\n"
        "  nasdiag file /mnt/nas --experiments all --local /data --json report.json\n"};

po::options_description options() {
  po::options_description options("Options", 100);
  options.add_options()("dir", po::value<std::string>(), "the folder on the mount (also as the first word)")(
      "local", po::value<std::string>()->default_value(""),
      "a folder on this computer's disk to copy from and to")(
      "experiments", po::value<std::string>()->default_value(""),
      "which, separated by commas: write, read, warm, copy, commits, small, listing, requests, read-ahead, "
      "parallel, "
      "or all (default: write,read,copy,commits,small)")(
      "size", po::value<std::string>()->default_value("1G"), "of the file, at most")(
      "time", po::value<std::string>()->default_value("10s"), "for each experiment, at most")(
      "piece", po::value<std::string>()->default_value(""),
      "bytes per read or write (default: what suits each)")("repeats", po::value<int>()->default_value(1),
                                                            "runs of each transfer; the median is shown")(
      "files", po::value<std::string>()->default_value("1,2,4,8"),
      "how many at once in the experiment parallel")(
      "small-files", po::value<std::size_t>()->default_value(500), "how many small files, at most")(
      "small-size", po::value<std::string>()->default_value("4k"), "of a small file")(
      "hash", po::value<std::string>()->default_value("xxh3"),
      "what reads are verified with: xxh3, sha1, sha256, or none")(
      "read", po::value<std::string>()->default_value(""), "also read this existing file (never written to)")(
      "link", po::value<std::string>()->default_value(""),
      "the link to the NAS, such as 1Gbit (default: as its interface says); rates above are void")(
      "stall", po::value<std::string>()->default_value("10s"),
      "silence after which the mount counts as hung")(
      "drop-caches", po::bool_switch(), "as root: also drop this machine's whole page cache before reads")(
      "json", po::value<std::string>()->default_value(""),
      "write all figures to a file (-: stdout, and only that)");
  return options;
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values[name].as<std::string>();
}

filebench::ByteCount size_of(const po::variables_map& values, const char* name, filebench::ByteCount at_least,
                             filebench::ByteCount at_most) {
  const auto size = measure::parse_byte_count(text_of(values, name));
  if (!size || *size < at_least || *size > at_most)
    throw UsageError("--" + std::string(name) + " '" + text_of(values, name) + "' is not a size between " +
                     to_text(at_least) + " and " + to_text(at_most));
  return *size;
}

std::chrono::milliseconds time_of(const po::variables_map& values, const char* name) {
  const auto time = measure::parse_duration(text_of(values, name));
  if (!time || *time < std::chrono::milliseconds(500) || *time > std::chrono::hours(1))
    throw UsageError("--" + std::string(name) + " '" + text_of(values, name) +
                     "' is not a time between 500ms and 1h");
  return *time;
}

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::size_t> counts_of(const std::string& text) {
  std::vector<std::size_t> counts;
  for (const std::string& word : comma_separated(text)) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 1 || count > 8)
      throw UsageError("--files '" + text + "' is not a list of numbers from 1 to 8, such as 1,2,4");
    counts.push_back(count);
  }
  return counts;
}

filebench::HashKind hash_of(const std::string& name) {
  using filebench::HashKind;
  for (const HashKind kind : {HashKind::xxh3, HashKind::sha1, HashKind::sha256})
    if (to_string(kind) == name) return kind;
  throw UsageError("--hash '" + name + "' is not known: xxh3, sha1, sha256 or none");
}

std::vector<std::string> experiments_of(const po::variables_map& values) {
  const std::string text = text_of(values, "experiments");
  const auto known = all_file_experiments();
  std::vector<std::string> names = comma_separated(text);
  if (text.empty()) names = usual_file_experiments(!text_of(values, "local").empty());
  if (text == "all") names.assign(known.begin(), known.end());
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("there is no experiment '" + name + "'; `nasdiag file --help` lists them");
  if (!text_of(values, "read").empty() && std::find(names.begin(), names.end(), "user-file") == names.end())
    names.emplace_back("user-file");
  return names;
}

FileSettings settings_of(const po::variables_map& values) {
  if (values.count("dir") == 0) throw UsageError("no folder was given\nUsage: " + std::string(kHelp.usage));
  using filebench::ByteCount;
  FileSettings settings;
  settings.session.mount_folder = text_of(values, "dir");
  settings.session.local_folder = text_of(values, "local");
  settings.verify = text_of(values, "hash") != "none";
  if (settings.verify) settings.session.hash = hash_of(text_of(values, "hash"));
  settings.session.stall_limit = time_of(values, "stall");
  settings.session.drop_all_caches = values["drop-caches"].as<bool>();
  if (const std::string link = text_of(values, "link"); !link.empty()) {
    settings.session.link_rate = measure::parse_data_rate(link);
    if (!settings.session.link_rate)
      throw UsageError("--link '" + link + "' is not a rate, such as 1Gbit or 2.5Gbit");
  }
  settings.experiments = experiments_of(values);
  settings.size = size_of(values, "size", ByteCount::mebibytes(1), ByteCount::gibibytes(1024));
  settings.time_limit = time_of(values, "time");
  if (!text_of(values, "piece").empty())
    settings.piece_size = size_of(values, "piece", ByteCount::kibibytes(4), ByteCount::mebibytes(4));
  settings.parallel = counts_of(text_of(values, "files"));
  settings.repeats = values["repeats"].as<int>();
  if (settings.repeats < 1 || settings.repeats > 100) throw UsageError("--repeats must be 1 to 100");
  settings.small_files = values["small-files"].as<std::size_t>();
  if (settings.small_files < 1 || settings.small_files > 100'000)
    throw UsageError("--small-files must be 1 to 100000");
  settings.small_file_size = size_of(values, "small-size", ByteCount::bytes(0), ByteCount::mebibytes(4));
  settings.user_file = text_of(values, "read");
  return settings;
}

FileReport measure_with_progress(const FileSettings& settings, const Interrupt& interrupt) {
  LiveProgress progress;
  try {
    return run_file_experiments(settings, progress, interrupt.token());
  } catch (const std::system_error& error) {
    throw std::runtime_error(filebench::sentence_of(error));
  }
}

void deliver_file_report(const FileReport& file_report, const std::string& json_file) {
  if (!json_file.empty())
    report::write_text_file(json_file, report::json_text(file_report_json(file_report)));
  if (json_file != "-")
    std::cout << file_report_text(
        file_report, {.width = terminal_width(STDOUT_FILENO), .colour = wants_colour(STDOUT_FILENO)});
}

int exit_code_of(const FileReport& file_report, bool interrupted) {
  if (interrupted) return kInterrupted;
  const auto is_ok = [](const FileExperiment& experiment) {
    return outcome_of(experiment.result) == filebench::Outcome::ok;
  };
  const auto& all = file_report.experiments;
  if (std::none_of(all.begin(), all.end(), is_ok)) return kNothingMeasured;
  return std::all_of(all.begin(), all.end(), is_ok) ? kDone : kLayerFailed;
}

}  // namespace

int file_command(const std::vector<std::string>& arguments) {
  po::positional_options_description positional;
  positional.add("dir", 1);
  const ParsedOptions parsed = parse_options(arguments, options(), positional, kHelp);
  if (parsed.help_shown) return kDone;
  const FileSettings settings = settings_of(parsed.values);
  const Interrupt interrupt;
  const FileReport file_report = measure_with_progress(settings, interrupt);
  deliver_file_report(file_report, text_of(parsed.values, "json"));
  return exit_code_of(file_report, interrupt.interrupted());
}

}  // namespace nasdiag::app
