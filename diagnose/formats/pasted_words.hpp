#pragma once

// A pasted text as a row of words. Lines get joined and broken when people paste, words hardly ever.

#include <diagnose/formats/pasted_text.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::formats {

class PastedWords {
 public:
  explicit PastedWords(std::string_view text);

  std::size_t size() const { return words_.size(); }
  // The word at a position; an empty one beyond either end.
  std::string_view operator[](std::size_t i) const {
    return i < words_.size() ? words_[i].text : std::string_view();
  }
  std::size_t line_of(std::size_t i) const { return i < words_.size() ? words_[i].line : 0; }

  // Something was taken from the line of this word.
  void mark_read(std::size_t i);
  // Lines that nothing was taken from, ornaments and headings left out.
  std::vector<std::string> unread_lines() const;

 private:
  struct Word {
    std::string_view text;
    std::size_t line;  // from 1
  };
  std::vector<Word> words_;
  std::vector<std::string_view> lines_;
  std::vector<bool> read_;
};

// A number and nothing else; thousands separators are dropped. Never negative.
std::optional<double> number_of(std::string_view word);
std::optional<std::int64_t> integer_of(std::string_view word);

// 1 for "Bytes", 1024 for "KBytes", … as iperf means them; nothing for other words.
std::optional<double> binary_bytes_of(std::string_view unit);

// The value of an option spelled "--name=value", "-x value" or "--name value" at word i.
std::optional<std::string> option_value(const PastedWords& words, std::size_t i, std::string_view name);

// A path below one of the folders where shares are usually mounted, or of another host ("nas:/x", "//nas/x").
bool looks_like_a_share(std::string_view path);

// Write if only the target is a share, read if only the source is; else the figure gets a note.
void set_direction(const std::string& source, const std::string& target, PastedFigure& figure);

// The note of a rate that counts what the client's memory took.
const measure::Note& before_flush_note();

// The first two words after a command that are no options, without what a shell needs behind them.
struct CopyCommand {
  std::string source;
  std::string target;
};
std::optional<CopyCommand> copy_command(const PastedWords& words, std::size_t command);

// The host in the prompt that the line of word i begins with ("me@client:~$", "admin@nas[~]$"), if there is
// one.
std::string prompt_host(const PastedWords& words, std::size_t i);

// "real 0m3.271s user 0m2.841s sys 0m0.418s" from word i on.
struct ShellTimes {
  measure::Seconds real{0};
  measure::Seconds processor{0};
};
std::optional<ShellTimes> shell_times(const PastedWords& words, std::size_t i);

// Each reads the figures of its tools and marks the lines it took them from.
void read_iperf(PastedWords& words, PastedText& result);
void read_rsync(PastedWords& words, PastedText& result);
void read_dd(PastedWords& words, PastedText& result);
void read_checksums(PastedWords& words, PastedText& result);
void read_fio(PastedWords& words, PastedText& result);
void read_top(PastedWords& words, PastedText& result);
void read_dladm(PastedWords& words, PastedText& result);
void read_scp(PastedWords& words, PastedText& result);
void read_smbclient(PastedWords& words, PastedText& result);
void read_hdparm(PastedWords& words, PastedText& result);

}  // namespace nasdiag::formats
