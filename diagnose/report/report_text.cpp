#include "diagnose/report/report_text.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace nasdiag::report {

namespace {

using measure::DataRate;
using measure::Direction;
using verdict::DirectionVerdict;
using verdict::Layer;

constexpr int kLabelWidth = 15;
constexpr int kBarWidth = 6;
constexpr int kMegabitsWidth = 12;
constexpr int kMegabytesWidth = 12;
constexpr int kCellWidth = kMegabitsWidth + kMegabytesWidth + 1 + kBarWidth + 1;

std::string heading(const Report& report, const TextStyle& style) {
  const evidence::Evidence& evidence = report.evidence;
  std::string title = "nasdiag " + evidence.nasdiag_version;
  if (!evidence.started_at.empty()) title += ", " + evidence.started_at;
  if (!evidence.label.empty()) title += ", “" + printable(evidence.label) + "”";
  std::string text = emphasize(title, Emphasis::strong, style) + "\n";
  if (evidence.settings.demo)
    text += wrapped(
        "This measured this machine only: a server of its own on the loopback interface and a temporary "
        "folder "
        "in place of a mount. It says nothing about any NAS.",
        "", style.width);
  return text;
}

std::string where(const Report& report, const TextStyle& style) {
  const evidence::Evidence& evidence = report.evidence;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += wrapped(printable(value), padded(name, kLabelWidth), style.width);
  };
  if (!evidence.settings.server.empty()) {
    std::string server = evidence.settings.server + ", port " + std::to_string(evidence.settings.port);
    if (evidence.facts.route && evidence.facts.route->interface)
      server += ", through " + *evidence.facts.route->interface +
                (evidence.facts.route->gateway ? " and the gateway " + *evidence.facts.route->gateway : "");
    line("server", server);
  }
  if (!evidence.settings.mount_folder.empty()) {
    std::string mount = evidence.settings.mount_folder;
    if (evidence.facts.mount)
      mount += ": " + evidence.facts.mount->protocol + ", " + evidence.facts.mount->source;
    line("mount", mount);
  }
  std::string local = evidence.settings.local_folder;
  if (evidence.facts.local_storage) {
    local += ": " + evidence.facts.local_storage->file_system;
    if (!evidence.facts.local_storage->devices.empty())
      local += " on " + evidence.facts.local_storage->devices.back().name;
  }
  line("local folder", local);
  return text;
}

// Full length of the bars: the fastest figure of network and files. A local disk is often many times faster;
// its bar is just full, or the others would be too short to compare.
DataRate fastest(const Report& report) {
  DataRate most;
  for (const Row row : {Row::link, Row::path, Row::tcp, Row::mount, Row::copy})
    for (const Direction direction : {Direction::write, Direction::read})
      if (const auto figure = figure_of(report, row, direction)) most = std::max(most, figure->rate.value);
  return most;
}

class Footnotes {
 public:
  // Its number; the same text keeps its number.
  std::size_t number_of(const std::string& text) {
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    if (known != texts_.end()) return static_cast<std::size_t>(known - texts_.begin()) + 1;
    texts_.push_back(text);
    return texts_.size();
  }
  std::string all(int width) const {
    std::string result;
    for (std::size_t i = 0; i < texts_.size(); ++i)
      result += wrapped(printable(texts_[i]), "(" + std::to_string(i + 1) + ") ", width);
    return result;
  }
  bool empty() const { return texts_.empty(); }

 private:
  std::vector<std::string> texts_;
};

Emphasis emphasis_of(const Report& report, Row row, Direction direction) {
  const auto& limiting = report.diagnosis.of(direction).limiting_layer;
  if (!limiting) return Emphasis::none;
  const bool limits = (row == Row::link && limiting == Layer::link) ||
                      (row == Row::path && limiting == Layer::path) ||
                      (row == Row::tcp && limiting == Layer::tcp) ||
                      (row == Row::client_disk && limiting == Layer::client_disk) ||
                      (row == Row::nas_disk && limiting == Layer::nas_disk) ||
                      (row == Row::mount && limiting == Layer::mount);
  return limits ? Emphasis::bad : Emphasis::none;
}

std::string cell(const Report& report, Row row, Direction direction, DataRate full, Footnotes& notes,
                 const TextStyle& style) {
  const auto figure = figure_of(report, row, direction);
  if (!figure) {
    const std::string why = why_not_measured(report, row, direction);
    std::string text = row == Row::link ? "  unknown" : "  not measured";
    if (!why.empty()) text += " (" + std::to_string(notes.number_of(why)) + ")";
    return emphasize(padded(text, kCellWidth), Emphasis::faint, style);
  }
  const DataRate rate = figure->rate.value;
  std::string text = right_aligned(measure::megabits_text(rate), kMegabitsWidth) +
                     right_aligned(measure::megabytes_text(rate), kMegabytesWidth) + " " +
                     bar(full > DataRate() ? rate / full : 0, kBarWidth) + " ";
  return emphasize(text, emphasis_of(report, row, direction), style);
}

bool was_tried(const Report& report, Row row) {
  const auto seen = [&](Direction direction) {
    return figure_of(report, row, direction) || !why_not_measured(report, row, direction).empty();
  };
  return seen(Direction::write) || seen(Direction::read);
}

std::string table(const Report& report, Footnotes& notes, const TextStyle& style) {
  std::string text =
      std::string(kLabelWidth, ' ') + padded("  write, to the NAS", kCellWidth) + "  read, from the NAS\n";
  const DataRate full = fastest(report);
  for (const Row row : kRows) {
    if (row == Row::nas_disk && !was_tried(report, row)) continue;
    std::string line = padded(name_of(row), kLabelWidth);
    for (const Direction direction : {Direction::write, Direction::read})
      line += cell(report, row, direction, full, notes, style);
    while (line.ends_with(' ')) line.pop_back();
    text += line + '\n';
  }
  return text;
}

std::string gain_text(const verdict::Next& next) {
  char text[64];
  std::snprintf(text, sizeof text, ", %.1f times today's rate (+%.0f %%).", 1 + next.gain, next.gain * 100);
  return text;
}

// What the two fixes after one another would bring.
std::vector<std::string> what_if(const DirectionVerdict& verdict) {
  std::vector<std::string> lines;
  if (verdict.next)
    lines.push_back("After that " + std::string(in_words(verdict.next->layer)) + " would limit, at " +
                    to_text(verdict.next->rate) + gain_text(*verdict.next));
  if (verdict.after_next)
    lines.push_back("With that out of the way too, " + std::string(in_words(verdict.after_next->layer)) +
                    " would limit, at " + to_text(verdict.after_next->rate) + gain_text(*verdict.after_next));
  return lines;
}

// What else it may be.
std::string rivals_text(const DirectionVerdict& verdict) {
  std::string text;
  for (const verdict::Candidate& other : verdict.alternatives)
    text += (text.empty() ? "It may also be " : ", or ") +
            (other.cause.empty() ? std::string(in_words(other.layer)) : other.cause);
  return text.empty() ? text : text + ".";
}

std::string verdict_text(const Report& report, Direction direction, const TextStyle& style) {
  const DirectionVerdict& verdict = report.diagnosis.of(direction);
  const bool fine = verdict.cause == "none/link-saturated";
  std::string text =
      emphasize(verdict_line(report, direction), fine ? Emphasis::good : Emphasis::strong, style) + "\n";
  for (const std::string& sentence : verdict.evidence)
    text += wrapped(printable(sentence), "  ", style.width);
  for (const std::string& sentence : verdict.advice)
    text += wrapped(printable(sentence), "  → ", style.width);
  const std::string rivals = rivals_text(verdict);
  if (!rivals.empty()) text += wrapped(rivals, "  ? ", style.width);
  if (verdict.settle_by) text += wrapped(printable(*verdict.settle_by), "  ? ", style.width);
  for (const std::string& line : what_if(verdict)) text += wrapped(line, "  → ", style.width);
  return text;
}

// What was given and by whom, where it wasn't this program that measured.
std::string given_text(const Report& report, const TextStyle& style) {
  std::string text;
  for (const evidence::Experiment& experiment : report.evidence.experiments)
    if (!experiment.origin.empty())
      text += wrapped(printable(std::string(to_string(experiment.kind)) + ", " +
                                to_string(experiment.direction) + ": " + experiment.origin),
                      "  ", style.width);
  return text.empty() ? text : "Taken from what was given:\n" + text + '\n';
}

// Only for figures that were given: a run says itself what it could not measure.
std::string missing_text(const Report& report, const TextStyle& style) {
  if (report.evidence.took > measure::Seconds(0)) return {};
  std::string text;
  for (const Direction direction : {Direction::write, Direction::read}) {
    const auto& missing = report.diagnosis.of(direction).missing;
    if (missing.empty()) continue;
    text += std::string("For a firmer answer about ") +
            (direction == Direction::write ? "writing" : "reading") + " add:\n";
    for (const std::string& line : missing) text += wrapped(line, "  + ", style.width);
  }
  return text.empty() ? text : text + '\n';
}

std::string notes_text(const Report& report, const TextStyle& style) {
  std::string text;
  const auto add = [&](const measure::Notes& notes) {
    for (const measure::Note& note : notes)
      if (note.severity != measure::Severity::info) text += wrapped(printable(note.text), "! ", style.width);
  };
  add(report.evidence.notes);
  add(report.evidence.facts.surprises);
  if (report.evidence.facts.mount) add(report.evidence.facts.mount->suspicious);
  return text;
}

}  // namespace

std::string verdict_line(const Report& report, Direction direction) {
  const DirectionVerdict& verdict = report.diagnosis.of(direction);
  const std::string way = direction == Direction::write ? "Write, to the NAS: " : "Read, from the NAS: ";
  if (!verdict.limiting_layer) return way + "could not be judged";
  std::string text = way + std::string(in_words(*verdict.limiting_layer)) + " limits";
  if (verdict.figures.job()) text += " at " + to_text(verdict.figures.job()->rate.value);
  text += " (" + std::string(to_string(verdict.confidence));
  if (!verdict.cause.empty()) text += ", " + verdict.cause;
  return text + ")";
}

std::string report_text(const Report& report, const TextStyle& style) {
  Footnotes footnotes;
  std::string text =
      heading(report, style) + where(report, style) + '\n' + table(report, footnotes, style) + '\n';
  for (const Direction direction : {Direction::write, Direction::read})
    text += verdict_text(report, direction, style) + '\n';
  if (!footnotes.empty()) text += footnotes.all(style.width) + '\n';
  text += given_text(report, style);
  const std::string notes = notes_text(report, style);
  if (!notes.empty()) text += notes + '\n';
  text += missing_text(report, style);
  if (report.evidence.interrupted) text += "Interrupted: what had been measured until then is shown.\n";
  if (report.evidence.took <= measure::Seconds(0))
    return text + "Decided from figures that were given; nothing was measured now.\n";
  char took[64];
  std::snprintf(took, sizeof took, "Measured in %.0f s.\n", report.evidence.took.count());
  return text + took;
}

}  // namespace nasdiag::report
