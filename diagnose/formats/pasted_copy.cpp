#include <diagnose/formats/pasted_words.hpp>

#include <algorithm>
#include <cmath>

// rsync and dd: copies of files, whose printed rate is that of write() and not of the data's arrival.

namespace nasdiag::formats {

namespace {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;
using measure::Severity;

// "0:00:07" in seconds.
std::optional<double> clock_seconds(std::string_view word) {
  double seconds = 0;
  int parts = 0;
  while (true) {
    const auto colon = word.find(':');
    const auto part = number_of(word.substr(0, colon));
    if (!part) return std::nullopt;
    seconds = seconds * 60 + *part;
    ++parts;
    if (colon == std::string_view::npos) break;
    word.remove_prefix(colon + 1);
  }
  return parts == 3 ? std::optional(seconds) : std::nullopt;
}

// rsync's kB, MB and GB are powers of 1024.
std::optional<DataRate> rsync_rate(std::string_view word) {
  for (const auto& [unit, factor] : std::initializer_list<std::pair<std::string_view, double>>{
           {"kB/s", 1024.0}, {"MB/s", 1048576.0}, {"GB/s", 1073741824.0}, {"bytes/s", 1.0}})
    if (word.ends_with(unit)) {
      const auto number = number_of(word.substr(0, word.size() - unit.size()));
      if (number) return DataRate::bytes_per_second(*number * factor);
    }
  return std::nullopt;
}

// Drops what a shell needs behind a path: "…/x;" or "…/x)".
std::string bare_path(std::string_view word) {
  while (word.ends_with(';') || word.ends_with(')') || word.ends_with('"')) word.remove_suffix(1);
  return std::string(word);
}

std::optional<Direction> direction_between(const std::string& source, const std::string& target) {
  const bool from_share = looks_like_a_share(source);
  const bool to_share = looks_like_a_share(target);
  if (from_share == to_share) return std::nullopt;
  return to_share ? Direction::write : Direction::read;
}

// "6,518,974,464 100% 808.13MB/s 0:00:07", its percentage at word `i`.
std::optional<PastedFigure> rsync_line(const PastedWords& words, std::size_t i) {
  if (words[i] != "100%" || i == 0) return std::nullopt;
  const auto amount = integer_of(words[i - 1]);
  const auto rate = rsync_rate(words[i + 1]);
  const auto seconds = clock_seconds(words[i + 2]);
  if (!amount || !rate || !seconds) return std::nullopt;
  PastedFigure figure;
  figure.tool = PastedTool::rsync;
  figure.subject = PastedSubject::file;
  figure.rate = rate;
  figure.amount = ByteCount::bytes(*amount);
  figure.duration = *figure.amount / *rate;
  figure.line = words.line_of(i);
  figure.notes.push_back(before_flush_note());
  return figure;
}

// Seconds of the day in a line such as "Sat Oct 31 02:55:27 PM CDT 2026".
std::optional<double> date_seconds(const PastedWords& words, std::size_t i) {
  const auto clock = clock_seconds(words[i]);
  if (!clock || words[i].size() != 8) return std::nullopt;
  const bool afternoon = words[i + 1] == "PM" && *clock < 12 * 3600;
  const bool past_midnight = words[i + 1] == "AM" && *clock >= 12 * 3600;
  return *clock + (afternoon ? 12 * 3600 : 0) - (past_midnight ? 12 * 3600 : 0);
}

// What a row of copies took by the clock, from the first one's date to the last one's: each flush of the copy
// before is in it, if the loop flushes.
std::optional<PastedFigure> by_the_clock(const PastedFigure& last, const std::vector<double>& dates,
                                         ByteCount amount) {
  constexpr double kDay = 24 * 3600;
  if (dates.size() < 2) return std::nullopt;
  double seconds = dates.back() - dates.front();
  if (seconds < 0) seconds += kDay;
  if (seconds <= 0) return std::nullopt;
  PastedFigure figure = last;
  figure.amount = amount * static_cast<std::int64_t>(dates.size() - 1);
  figure.duration = Seconds(seconds);
  figure.rate = *figure.amount / *figure.duration;
  figure.notes = {{"by-the-clock", Severity::info,
                   "From the dates between the copies: " + std::to_string(dates.size() - 1) +
                       " of them with all that was done between, so a lower bound."}};
  return figure;
}

void add_clock_figure(const std::vector<PastedFigure>& copies, const std::vector<double>& dates,
                      PastedText& result) {
  const bool same_amount = std::all_of(copies.begin(), copies.end(), [&](const PastedFigure& copy) {
    return copy.amount == copies.front().amount && copy.path == copies.front().path;
  });
  if (copies.size() < 2 || dates.size() != copies.size() || !same_amount) return;
  if (const auto figure = by_the_clock(copies.back(), dates, *copies.back().amount))
    result.figures.push_back(*figure);
}

std::optional<double> dd_seconds(const PastedWords& words, std::size_t i) {
  const bool follows = words[i + 1] == "s," || words[i + 1] == "s" || words[i + 1].starts_with("sec");
  return follows ? number_of(words[i]) : std::nullopt;
}

// "… bytes (…) copied, 9.123 s, 118 MB/s" or BSD's "… bytes transferred in 9.123 secs": the amount at word
// `i`.
std::optional<PastedFigure> dd_line(const PastedWords& words, std::size_t i) {
  constexpr std::size_t kLongest = 10;
  const auto amount = integer_of(words[i]);
  if (!amount || words[i + 1] != "bytes") return std::nullopt;
  for (std::size_t j = i + 2; j < i + kLongest; ++j) {
    if (words[j] != "copied," && words[j] != "in") continue;
    const auto seconds = dd_seconds(words, j + 1);
    if (!seconds || *seconds <= 0) return std::nullopt;
    PastedFigure figure;
    figure.tool = PastedTool::dd;
    figure.subject = PastedSubject::file;
    figure.amount = ByteCount::bytes(*amount);
    figure.duration = Seconds(*seconds);
    figure.rate = *figure.amount / *figure.duration;
    figure.line = words.line_of(i);
    return figure;
  }
  return std::nullopt;
}

struct DdCommand {
  std::string source;
  std::string target;
  std::optional<ByteCount> block;
  bool flushes = false;
  bool direct = false;
};

std::optional<ByteCount> dd_block_size(std::string_view text) {
  double factor = 1;
  for (const auto& [unit, bytes] :
       std::initializer_list<std::pair<std::string_view, double>>{{"kB", 1e3},
                                                                  {"MB", 1e6},
                                                                  {"GB", 1e9},
                                                                  {"k", 1024},
                                                                  {"K", 1024},
                                                                  {"m", 1048576.0},
                                                                  {"M", 1048576.0},
                                                                  {"g", 1073741824.0},
                                                                  {"G", 1073741824.0}})
    if (text.ends_with(unit)) {
      factor = bytes;
      text.remove_suffix(unit.size());
      break;
    }
  const auto number = integer_of(text);
  if (!number) return std::nullopt;
  return ByteCount::bytes(std::llround(static_cast<double>(*number) * factor));
}

DdCommand dd_command(const PastedWords& words, std::size_t i) {
  DdCommand command;
  for (std::size_t j = i + 1; j < i + 16 && words.line_of(j) == words.line_of(i); ++j) {
    if (const auto value = option_value(words, j, "if")) command.source = bare_path(*value);
    if (const auto value = option_value(words, j, "of")) command.target = bare_path(*value);
    if (const auto value = option_value(words, j, "bs")) command.block = dd_block_size(*value);
    const auto conversion = option_value(words, j, "conv").value_or("");
    const auto flags =
        option_value(words, j, "oflag").value_or("") + option_value(words, j, "iflag").value_or("");
    if (conversion.find("sync") != std::string::npos || flags.find("sync") != std::string::npos)
      command.flushes = true;
    if (flags.find("direct") != std::string::npos) command.direct = true;
  }
  return command;
}

void apply(const DdCommand& command, PastedFigure& figure) {
  const bool makes_data = command.source.starts_with("/dev/") || command.source.empty();
  figure.direction = makes_data ? std::optional(Direction::write)
                     : command.target.starts_with("/dev/")
                         ? std::optional(Direction::read)
                         : direction_between(command.source, command.target);
  figure.path = figure.direction == Direction::read ? command.source : command.target;
  figure.request_size = command.block;
  figure.subject = looks_like_a_share(figure.path) ? PastedSubject::file : PastedSubject::disk;
  if (figure.direction == Direction::write && !command.flushes && !command.direct)
    figure.notes.push_back(before_flush_note());
  if (command.source == "/dev/zero")
    figure.notes.push_back({"compressible-data", Severity::warning,
                            "Zeros were written; a compressing file system hardly stores them."});
  if (figure.direction == Direction::read && !command.direct)
    figure.notes.push_back(
        {"maybe-cached", Severity::info, "Nothing shows that the file was not in memory already."});
}

// "sent 6,520,566,104 bytes received 35 bytes 111,462,669.04 bytes/sec": the summary, "sent" at word `i`.
// Only the direction in which nearly all bytes went is taken.
std::optional<PastedFigure> rsync_summary(const PastedWords& words, std::size_t i) {
  if (words[i] != "sent" || words[i + 2] != "bytes" || words[i + 3] != "received" ||
      words[i + 5] != "bytes" || words[i + 7] != "bytes/sec")
    return std::nullopt;
  const auto sent = integer_of(words[i + 1]);
  const auto received = integer_of(words[i + 4]);
  const auto rate = number_of(words[i + 6]);
  if (!sent || !received || !rate || *rate <= 0) return std::nullopt;
  PastedFigure figure;
  figure.tool = PastedTool::rsync;
  figure.subject = PastedSubject::file;
  figure.amount = ByteCount::bytes(std::max(*sent, *received));
  figure.rate = DataRate::bytes_per_second(*rate);
  figure.duration = *figure.amount / *figure.rate;
  figure.line = words.line_of(i);
  figure.notes.push_back(before_flush_note());
  return figure;
}

}  // namespace

const measure::Note& before_flush_note() {
  static const measure::Note note{
      "before-flush", Severity::warning,
      "The rate that was printed counts what the client's memory took; part of it was not "
      "on the NAS yet. It is an upper bound, not the rate of the NAS."};
  return note;
}

std::optional<CopyCommand> copy_command(const PastedWords& words, std::size_t command) {
  std::vector<std::string> paths;
  for (std::size_t j = command + 1;
       j < command + 20 && words.line_of(j) == words.line_of(command) && paths.size() < 2; ++j) {
    if (words[j] == ";" || words[j] == "&&") break;
    if (!words[j].starts_with('-')) paths.push_back(bare_path(words[j]));
  }
  if (paths.size() < 2) return std::nullopt;
  return CopyCommand{.source = paths[0], .target = paths[1]};
}

void set_direction(const std::string& source, const std::string& target, PastedFigure& figure) {
  figure.direction = direction_between(source, target);
  figure.path = figure.direction == Direction::read ? source : target;
  if (figure.path.ends_with('/')) figure.path += source.substr(source.rfind('/') + 1);  // into a folder
  if (!figure.direction)
    figure.notes.push_back({"direction-unknown", Severity::warning,
                            "The paths don't tell which end is the NAS: " + source + " to " + target + "."});
}

void read_rsync(PastedWords& words, PastedText& result) {
  std::optional<CopyCommand> command;
  std::vector<PastedFigure> copies;
  std::vector<double> dates;
  const auto end_of_loop = [&] {
    add_clock_figure(copies, dates, result);
    copies.clear();
    dates.clear();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "rsync")
      if (const auto found = copy_command(words, i)) {
        end_of_loop();
        command = found;
        words.mark_read(i);
      }
    if (const auto date = date_seconds(words, i)) dates.push_back(*date);
    const bool is_line = rsync_line(words, i).has_value();
    auto figure = is_line ? rsync_line(words, i) : copies.empty() ? rsync_summary(words, i) : std::nullopt;
    if (!figure) continue;
    words.mark_read(i);
    if (is_line && i >= 2) words.mark_read(i - 2);  // the file's name is in the line above
    if (command) set_direction(command->source, command->target, *figure);
    if (!command)
      figure->notes.push_back({"direction-unknown", Severity::warning,
                               "The rsync command is not in the text, so the direction is unknown."});
    if (is_line) copies.push_back(*figure);
    result.figures.push_back(*figure);
  }
  end_of_loop();
}

void read_dd(PastedWords& words, PastedText& result) {
  std::optional<DdCommand> command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "dd" && words[i + 1].find('=') != std::string_view::npos) {
      command = dd_command(words, i);
      words.mark_read(i);
    }
    auto figure = dd_line(words, i);
    if (!figure) continue;
    words.mark_read(i);
    if (command)
      apply(*command, *figure);
    else
      figure->notes.push_back({"direction-unknown", Severity::warning,
                               "The dd command is not in the text, so the direction is unknown."});
    result.figures.push_back(*figure);
  }
}

}  // namespace nasdiag::formats
