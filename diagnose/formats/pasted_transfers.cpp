#include <diagnose/formats/pasted_words.hpp>

#include <algorithm>

// scp and smbclient print a rate per file, hdparm one of a disk. All three count in powers of 1024.

namespace nasdiag::formats {

namespace {

using measure::ByteCount;
using measure::DataRate;
using measure::Direction;
using measure::Seconds;

// "6217MB" or "110.2MB/s" with `suffix` "" or "/s".
std::optional<double> binary_amount(std::string_view word, std::string_view suffix) {
  for (const auto& [unit, factor] : std::initializer_list<std::pair<std::string_view, double>>{
           {"KB", 1024.0}, {"MB", 1048576.0}, {"GB", 1073741824.0}, {"TB", 1099511627776.0}}) {
    const std::string whole = std::string(unit) + std::string(suffix);
    if (!word.ends_with(whole)) continue;
    const auto number = number_of(word.substr(0, word.size() - whole.size()));
    if (number) return *number * factor;
  }
  return std::nullopt;
}

PastedFigure file_figure(PastedTool tool, DataRate rate, std::size_t line) {
  PastedFigure figure;
  figure.tool = tool;
  figure.subject = PastedSubject::file;
  figure.rate = rate;
  figure.line = line;
  return figure;
}

// "name 100% 6217MB 110.2MB/s 00:56", its percentage at word `i`.
std::optional<PastedFigure> scp_line(const PastedWords& words, std::size_t i) {
  if (words[i] != "100%") return std::nullopt;
  const auto amount = binary_amount(words[i + 1], "");
  const auto rate = binary_amount(words[i + 2], "/s");
  if (!amount || !rate || *rate <= 0 || *amount > 9e18) return std::nullopt;
  PastedFigure figure = file_figure(PastedTool::scp, DataRate::bytes_per_second(*rate), words.line_of(i));
  figure.amount = ByteCount::bytes(static_cast<std::int64_t>(*amount));
  figure.duration = *figure.amount / *figure.rate;
  return figure;
}

// "(112345.6 kb/s)" or "(98765.4 KiloBytes/sec)" at word `i`.
std::optional<DataRate> smbclient_rate(const PastedWords& words, std::size_t i) {
  const std::string_view unit = words[i + 1];
  if (!words[i].starts_with('(') || (unit != "kb/s)" && unit != "KiloBytes/sec)")) return std::nullopt;
  const auto number = number_of(words[i].substr(1));
  if (!number) return std::nullopt;
  return DataRate::bytes_per_second(*number * 1024);
}

// The word that smbclient's line begins with, no more than ten words before its rate.
std::optional<Direction> smbclient_direction(const PastedWords& words, std::size_t rate) {
  for (std::size_t j = rate; j-- > 0 && rate - j <= 10 && words.line_of(j) == words.line_of(rate);) {
    if (words[j] == "putting") return Direction::write;
    if (words[j] == "getting") return Direction::read;
  }
  return std::nullopt;
}

}  // namespace

void read_scp(PastedWords& words, PastedText& result) {
  std::optional<CopyCommand> command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "scp")
      if (const auto found = copy_command(words, i)) {
        command = found;
        words.mark_read(i);
      }
    auto figure = scp_line(words, i);
    if (!figure) continue;
    words.mark_read(i);
    if (command)
      set_direction(command->source, command->target, *figure);
    else
      figure->notes.push_back({"direction-unknown", measure::Severity::warning,
                               "The scp command is not in the text, so the direction is unknown."});
    result.figures.push_back(*figure);
  }
}

void read_smbclient(PastedWords& words, PastedText& result) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto rate = smbclient_rate(words, i);
    const auto direction = smbclient_direction(words, i);
    if (!rate || !direction || words[i - 1] == "(average") continue;
    PastedFigure figure = file_figure(PastedTool::smbclient, *rate, words.line_of(i));
    figure.direction = direction;
    if (direction == Direction::write) figure.notes.push_back(before_flush_note());
    words.mark_read(i);
    result.figures.push_back(figure);
  }
}

// "Timing buffered disk reads: 478 MB in 3.00 seconds = 159.33 MB/sec". Its cached reads are memory.
void read_hdparm(PastedWords& words, PastedText& result) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "disk" || words[i + 1] != "reads:") continue;
    for (std::size_t j = i + 2; j < i + 10; ++j) {
      const auto number = number_of(words[j]);
      if (words[j - 1] != "=" || words[j + 1] != "MB/sec" || !number) continue;
      PastedFigure figure;
      figure.tool = PastedTool::hdparm;
      figure.subject = PastedSubject::disk;
      figure.direction = Direction::read;
      figure.rate = DataRate::bytes_per_second(*number * 1048576);
      figure.host = prompt_host(words, i);
      figure.line = words.line_of(i);
      figure.notes.push_back(
          {"raw-device", measure::Severity::info,
           "hdparm reads the first part of the raw device, not files; those may be slower."});
      words.mark_read(i);
      result.figures.push_back(figure);
    }
  }
}

}  // namespace nasdiag::formats
