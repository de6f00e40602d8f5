#include <diagnose/formats/pasted_words.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nasdiag::formats {

namespace {

constexpr std::string_view kBlank = " \t\r\v\f\0";

// Words that stand in lines which carry no figure of their own.
constexpr std::array<std::string_view, 24> kOrnaments{
    "speedup", "Client", "Interval", "Done.", "Connecting", "local", "Reverse",   "Total",
    "Tasks:",  "Mem",    "Swap:",    "PID",   "iperf3",     "iperf", "listening", "CDT",
    "CEST",    "CET",    "UTC",      "GMT",   "real",       "user",  "sys",       "top"};

bool is_ornament(std::string_view line) {
  if (line.find_first_not_of("-=_*# \t\r") == std::string_view::npos) return true;
  if (line.find('@') != std::string_view::npos && (line.ends_with("$") || line.ends_with("#"))) return true;
  return std::any_of(kOrnaments.begin(), kOrnaments.end(), [&](std::string_view word) {
    const auto at = line.find(word);
    if (at == std::string_view::npos) return false;
    const auto after = at + word.size();
    const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    return begins &&
           (after == line.size() || line[after] == ' ' || line[after] == '\t' || line[after] == '\r');
  });
}

// "3m57.811s" or "0m3,271s".
std::optional<measure::Seconds> shell_time(std::string_view word) {
  const auto m = word.find('m');
  if (m == std::string_view::npos || !word.ends_with('s')) return std::nullopt;
  std::string seconds(word.substr(m + 1, word.size() - m - 2));
  std::replace(seconds.begin(), seconds.end(), ',', '.');
  const auto minutes_number = number_of(word.substr(0, m));
  const auto seconds_number = number_of(seconds);
  if (!minutes_number || !seconds_number) return std::nullopt;
  return measure::Seconds(*minutes_number * 60 + *seconds_number);
}

}  // namespace

PastedWords::PastedWords(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    lines_.push_back(line);
    for (std::size_t i = line.find_first_not_of(kBlank); i < line.size();
         i = line.find_first_not_of(kBlank, i)) {
      const std::size_t word_end = std::min(line.find_first_of(kBlank, i), line.size());
      words_.push_back({line.substr(i, word_end - i), lines_.size()});
      i = word_end;
    }
    begin = end + 1;
  }
  read_.assign(lines_.size() + 1, false);
}

void PastedWords::mark_read(std::size_t i) { read_[line_of(i)] = true; }

std::vector<std::string> PastedWords::unread_lines() const {
  std::vector<std::string> unread;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool blank = lines_[i].find_first_not_of(kBlank) == std::string_view::npos;
    if (!read_[i + 1] && !blank && !is_ornament(lines_[i])) unread.emplace_back(lines_[i]);
  }
  return unread;
}

std::optional<double> number_of(std::string_view word) {
  std::string digits;
  for (const char c : word)
    if (c != ',') digits += c;
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, std::chars_format::fixed);
  if (digits.empty() || error != std::errc() || stop != end || !std::isfinite(number) || std::signbit(number))
    return std::nullopt;
  return number;
}

std::optional<std::int64_t> integer_of(std::string_view word) {
  const auto number = number_of(word);
  if (!number || *number != std::floor(*number) || *number > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> binary_bytes_of(std::string_view unit) {
  constexpr std::string_view kLetters = "KMGT";
  if (!unit.ends_with("Bytes") && !unit.ends_with("Byte")) return std::nullopt;
  const std::string_view letter = unit.substr(0, unit.find("Byte"));
  if (letter.empty()) return 1;
  const auto power = kLetters.find(letter.front());
  if (letter.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return std::pow(1024.0, static_cast<double>(power + 1));
}

std::optional<std::string> option_value(const PastedWords& words, std::size_t i, std::string_view name) {
  const std::string_view word = words[i];
  if (word == name) return std::string(words[i + 1]);
  if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
    return std::string(word.substr(name.size() + 1));
  return std::nullopt;
}

bool looks_like_a_share(std::string_view path) {
  constexpr std::array<std::string_view, 7> kMountFolders{"/mnt/", "/media/", "/net/", "/Volumes/",
                                                          "/nas/", "/nfs/",   "/srv/"};
  if (path.find("/gvfs/") != std::string_view::npos || path.starts_with("//") || path.starts_with("\\\\"))
    return true;
  const auto colon = path.find(':');
  if (colon != std::string_view::npos && colon > 1 && colon < path.find('/')) return true;
  return std::any_of(kMountFolders.begin(), kMountFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

std::string prompt_host(const PastedWords& words, std::size_t i) {
  while (i > 0 && words.line_of(i - 1) == words.line_of(i)) --i;
  std::string_view prompt = words[i];
  if (prompt.starts_with('[')) prompt.remove_prefix(1);
  const auto at = prompt.find('@');
  if (at == std::string_view::npos) return {};
  const std::string_view rest = prompt.substr(at + 1);
  return std::string(rest.substr(0, rest.find_first_of(":[]~$# ")));
}

std::optional<ShellTimes> shell_times(const PastedWords& words, std::size_t i) {
  if (words[i] != "real" || words[i + 2] != "user" || words[i + 4] != "sys") return std::nullopt;
  const auto real = shell_time(words[i + 1]);
  const auto user = shell_time(words[i + 3]);
  const auto system = shell_time(words[i + 5]);
  if (!real || !user || !system) return std::nullopt;
  return ShellTimes{.real = *real, .processor = *user + *system};
}

}  // namespace nasdiag::formats
