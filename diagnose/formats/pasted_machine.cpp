#include <diagnose/formats/pasted_words.hpp>
#include <measure/quantity_text.hpp>
#include <measure/summary.hpp>

#include <algorithm>
#include <cmath>
#include <map>

// What else people paste beside iperf and copies: timed checksums, fio's summary lines, top and dladm.

namespace nasdiag::formats {

namespace {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;
using measure::Severity;

bool is_checksum_command(std::string_view word) {
  return word == "sha1sum" || word == "sha256sum" || word == "md5sum" || word == "b2sum" ||
         word == "xxhsum" || word == "cksum";
}

bool is_digest(std::string_view word) {
  return word.size() >= 8 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         (word.size() == 32 || word.size() == 40 || word.size() == 64 || word.size() == 128);
}

void note_where_time_went(PastedFigure& figure) {
  constexpr double kHashBound = 0.8;
  if (figure.processor_time->count() >= kHashBound * figure.duration->count())
    figure.notes.push_back(
        {"hash-bound", Severity::warning,
         "The checksum itself took nearly all of the time: one core was full, and the file came "
         "faster than it could be hashed, perhaps out of the client's memory."});
}

// Digest and path, then what `time` printed: the digest at word `i`.
std::optional<PastedFigure> timed_checksum(const PastedWords& words, std::size_t i) {
  if (!is_digest(words[i])) return std::nullopt;
  const auto times = shell_times(words, i + 2);
  if (!times) return std::nullopt;
  PastedFigure figure;
  figure.tool = PastedTool::checksum;
  figure.subject = looks_like_a_share(words[i + 1]) ? PastedSubject::file : PastedSubject::disk;
  figure.direction = Direction::read;
  figure.path = words[i + 1];
  figure.duration = times->real;
  figure.processor_time = times->processor;
  figure.line = words.line_of(i);
  figure.notes.push_back({"size-unknown", Severity::info,
                          "The size of the file is not in the text, so this is a time and not yet a rate."});
  note_where_time_went(figure);
  return figure;
}

// A later run over the same file in less than half of the first one's time came out of a cache.
void note_cached_runs(std::vector<PastedFigure>& figures) {
  std::map<std::string, Seconds> first;
  for (PastedFigure& figure : figures) {
    if (figure.tool != PastedTool::checksum) continue;
    const auto [before, is_first] = first.emplace(figure.path, *figure.duration);
    if (is_first || figure.duration->count() >= 0.5 * before->second.count()) continue;
    figure.notes.push_back({"client-cache", Severity::warning,
                            "The same file took more than twice as long before: this time it came out of the "
                            "client's memory and says nothing about the NAS."});
  }
}

// "bw=4075MiB/s" as a rate.
std::optional<DataRate> fio_bandwidth(std::string_view word) {
  if (!word.starts_with("bw=")) return std::nullopt;
  word.remove_prefix(3);
  return measure::parse_data_rate(word.substr(0, word.find_first_of(",(")));
}

struct FioCommand {
  std::string path;
  std::optional<ByteCount> block;
  std::optional<std::int64_t> jobs;
  bool direct = false;
  std::string host;
};

FioCommand fio_command(const PastedWords& words, std::size_t i) {
  FioCommand command;
  command.host = prompt_host(words, i);
  for (std::size_t j = i + 1; j < words.size() && words.line_of(j) == words.line_of(i); ++j) {
    for (const std::string_view name : {"--directory", "--filename"})
      if (const auto value = option_value(words, j, name)) command.path = *value;
    if (const auto value = option_value(words, j, "--bs")) command.block = measure::parse_byte_count(*value);
    if (const auto value = option_value(words, j, "--numjobs")) command.jobs = integer_of(*value);
    if (const auto value = option_value(words, j, "--direct")) command.direct = *value == "1";
  }
  return command;
}

PastedFigure fio_figure(const std::optional<FioCommand>& command, DataRate rate, Direction direction) {
  PastedFigure figure;
  figure.tool = PastedTool::fio;
  figure.subject = PastedSubject::disk;
  figure.direction = direction;
  figure.rate = rate;
  if (!command) {
    figure.notes.push_back(
        {"machine-unknown", Severity::warning,
         "The fio command is not in the text: which folder of which machine it measured is unknown."});
    return figure;
  }
  figure.path = command->path;
  figure.host = command->host;
  figure.request_size = command->block;
  figure.streams = static_cast<int>(std::clamp<std::int64_t>(command->jobs.value_or(1), 1, 1024));
  if (!command->direct)
    figure.notes.push_back(
        {"maybe-cached", Severity::warning,
         "fio ran without direct I/O: memory may have served part of it, so the disks may be slower."});
  return figure;
}

std::optional<Direction> fio_direction(std::string_view word) {
  if (word == "READ:" || word == "read:") return Direction::read;
  if (word == "WRITE:" || word == "write:") return Direction::write;
  return std::nullopt;
}

// "2.2 us, 2.7 sy, …" after "%Cpu(s):", whose word is `i`.
PastedProcessors processors_at(const PastedWords& words, std::size_t i) {
  PastedProcessors processors;
  processors.line = words.line_of(i);
  for (std::size_t j = i + 1; words.line_of(j) == words.line_of(i) && j + 1 < words.size(); ++j) {
    const auto percent = number_of(words[j]);
    const std::string_view kind = words[j + 1].substr(0, 2);
    if (!percent) continue;
    if (kind == "us") processors.user_percent = *percent;
    if (kind == "sy") processors.system_percent = *percent;
    if (kind == "si") processors.soft_interrupt_percent = *percent;
    if (kind == "wa") processors.wait_percent = *percent;
    if (kind == "st") processors.steal_percent = *percent;
    if (kind == "id") processors.idle_percent = *percent;
  }
  return processors;
}

// A row of top's table: pid, user, priority, nice, three sizes, state, %CPU, %MEM, time, command.
std::optional<PastedProcessors::Process> process_at(const PastedWords& words, std::size_t i) {
  constexpr std::size_t kPercent = 8;
  constexpr std::size_t kTime = 10;
  constexpr std::size_t kCommand = 11;
  const bool is_first_word = i == 0 || words.line_of(i - 1) != words.line_of(i);
  const auto percent = number_of(words[i + kPercent]);
  if (!is_first_word || !integer_of(words[i]) || !percent ||
      words.line_of(i + kCommand) != words.line_of(i) || words[i + kTime].find(':') == std::string_view::npos)
    return std::nullopt;
  return PastedProcessors::Process{.command = std::string(words[i + kCommand]), .percent = *percent};
}

struct DladmRow {
  double received = 0;
  double sent = 0;
};

std::vector<DladmRow> dladm_rows(const PastedWords& words, std::size_t i, std::string_view link) {
  std::vector<DladmRow> rows;
  while (words[i] == link) {
    const auto received = number_of(words[i + 2]);
    const auto sent = number_of(words[i + 5]);
    if (!received || !sent) break;
    rows.push_back({*received, *sent});
    i += 7;
  }
  return rows;
}

double median_of(const std::vector<DladmRow>& rows, double DladmRow::*column) {
  std::vector<double> values;
  for (const DladmRow& row : rows) values.push_back(row.*column);
  return measure::quantile(values, 0.5);
}

PastedFigure dladm_figure(const std::vector<DladmRow>& rows, double interval, std::string_view link) {
  const double received = median_of(rows, &DladmRow::received);
  const double sent = median_of(rows, &DladmRow::sent);
  const bool mostly_received = received >= sent;
  PastedFigure figure;
  figure.tool = PastedTool::dladm;
  figure.subject = PastedSubject::interface;
  figure.path = link;
  figure.rate = DataRate::bytes_per_second(std::max(received, sent) / interval);
  figure.duration = Seconds(interval * static_cast<double>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double bytes = mostly_received ? rows[i].received : rows[i].sent;
    figure.samples.push_back({.start = Seconds(interval * static_cast<double>(i)),
                              .length = Seconds(interval),
                              .amount = ByteCount::bytes(std::llround(bytes))});
  }
  figure.amount = measure::total(figure.samples);
  figure.notes = {
      {"frames-not-payload", Severity::info,
       "The interface counts whole frames, a few percent more than the payload; the rate is the median."},
      {"direction-unknown", Severity::warning,
       std::string("This machine mostly ") + (mostly_received ? "received" : "sent") +
           "; whether it is the client or the NAS is not in the text."}};
  return figure;
}

}  // namespace

void read_checksums(PastedWords& words, PastedText& result) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_checksum_command(words[i])) words.mark_read(i);
    const auto figure = timed_checksum(words, i);
    if (!figure) continue;
    for (std::size_t j = i; j < i + 8; ++j) words.mark_read(j);
    result.figures.push_back(*figure);
  }
  note_cached_runs(result.figures);
}

void read_fio(PastedWords& words, PastedText& result) {
  std::optional<FioCommand> command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "fio" && words[i + 1].starts_with("--")) command = fio_command(words, i);
    const auto direction = fio_direction(words[i]);
    const auto rate = fio_bandwidth(words[i + 1]);
    if (!direction || !rate) continue;
    PastedFigure figure = fio_figure(command, *rate, *direction);
    figure.line = words.line_of(i);
    words.mark_read(i);
    result.figures.push_back(figure);
  }
}

void read_top(PastedWords& words, PastedText& result) {
  constexpr double kBusy = 10;
  std::optional<std::size_t> current;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "%Cpu(s):" || words[i] == "Cpu(s):") {
      current = result.processors.size();
      result.processors.push_back(processors_at(words, i));
      words.mark_read(i);
    }
    if (!current) continue;
    const auto process = process_at(words, i);
    if (!process) continue;
    words.mark_read(i);
    if (process->percent >= kBusy) result.processors[*current].busiest.push_back(*process);
  }
}

void read_dladm(PastedWords& words, PastedText& result) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "OERRORS" || words[i + 1].empty()) continue;
    double interval = 1;
    for (std::size_t j = i > 24 ? i - 24 : 0; j < i; ++j)
      if (const auto value = option_value(words, j, "-i"))
        interval = std::max(1.0, number_of(*value).value_or(1));
    const std::vector<DladmRow> rows = dladm_rows(words, i + 1, words[i + 1]);
    if (rows.empty()) continue;
    PastedFigure figure = dladm_figure(rows, interval, words[i + 1]);
    figure.line = words.line_of(i);
    for (std::size_t j = 0; j < rows.size() * 7; ++j) words.mark_read(i + 1 + j);
    words.mark_read(i);
    result.figures.push_back(figure);
  }
}

}  // namespace nasdiag::formats
