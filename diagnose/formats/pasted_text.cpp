#include <diagnose/formats/pasted_text.hpp>
#include <diagnose/formats/pasted_words.hpp>

#include <algorithm>

namespace nasdiag::formats {

PastedText read_pasted_text(std::string_view text) {
  PastedWords words(text);
  PastedText result;
  read_iperf(words, result);
  read_rsync(words, result);
  read_dd(words, result);
  read_checksums(words, result);
  read_fio(words, result);
  read_top(words, result);
  read_dladm(words, result);
  read_scp(words, result);
  read_smbclient(words, result);
  read_hdparm(words, result);
  std::stable_sort(result.figures.begin(), result.figures.end(),
                   [](const PastedFigure& a, const PastedFigure& b) { return a.line < b.line; });
  result.unread = words.unread_lines();
  if (result.figures.empty() && result.processors.empty())
    result.notes.push_back(
        {"nothing-recognised", measure::Severity::warning,
         "No figure was found in the text. Read are the printed results of iperf3, iperf, rsync "
         "--progress, scp, smbclient, dd, timed checksums, fio, hdparm, top and dladm."});
  return result;
}

}  // namespace nasdiag::formats
