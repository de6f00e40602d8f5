#include "diagnose/report/comparison.hpp"

#include "diagnose/report/report_text.hpp"
#include "diagnose/report/verdict_json.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using measure::Direction;
using verdict::Figure;

// Smaller changes are within what two runs of one minute on the same system differ by.
constexpr double kSmallestChange = 0.03;

RowChange change_of(Row row, Direction direction, const Report& before, const Report& after) {
  RowChange change{.row = row,
                   .direction = direction,
                   .before = figure_of(before, row, direction),
                   .after = figure_of(after, row, direction)};
  if (!change.before || !change.after || change.before->rate.value <= measure::DataRate()) return change;
  const verdict::Interval& old_rate = change.before->rate;
  const verdict::Interval& new_rate = change.after->rate;
  change.change = new_rate.value / old_rate.value - 1;
  const bool apart = new_rate.low > old_rate.high || new_rate.high < old_rate.low;
  change.seen = apart && std::abs(*change.change) >= kSmallestChange;
  return change;
}

std::string options_text(const filebench::Mount& mount) {
  std::string text;
  for (const filebench::MountOption& option : mount.options) {
    if (!text.empty()) text += ',';
    text += option.name;
    if (!option.value.empty()) text += "=" + option.value;
  }
  return text;
}

class Differences {
 public:
  void add(const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return;
    found_.push_back(name + ": " + (before.empty() ? "unknown" : before) + " → " +
                     (after.empty() ? "unknown" : after));
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

std::vector<std::string> environment_differences(const evidence::Evidence& before,
                                                 const evidence::Evidence& after) {
  Differences differences;
  differences.add("nasdiag", before.nasdiag_version, after.nasdiag_version);
  differences.add("server", before.settings.server, after.settings.server);
  differences.add("mount folder", before.settings.mount_folder, after.settings.mount_folder);
  differences.add("local folder", before.settings.local_folder, after.settings.local_folder);
  differences.add("kernel", before.facts.host.kernel.value_or(""), after.facts.host.kernel.value_or(""));
  differences.add("processor", before.facts.host.cpu_model.value_or(""),
                  after.facts.host.cpu_model.value_or(""));
  differences.add("congestion control", before.facts.tcp.congestion_control.value_or(""),
                  after.facts.tcp.congestion_control.value_or(""));
  differences.add("link", before.link.formula, after.link.formula);
  const auto& mount_before = before.facts.mount;
  const auto& mount_after = after.facts.mount;
  differences.add("mount", mount_before ? mount_before->protocol : "",
                  mount_after ? mount_after->protocol : "");
  differences.add("mount source", mount_before ? mount_before->source : "",
                  mount_after ? mount_after->source : "");
  differences.add("mount options", mount_before ? options_text(*mount_before) : "",
                  mount_after ? options_text(*mount_after) : "");
  if (before.settings.budget != after.settings.budget)
    differences.add("time budget", measure::duration_text(before.settings.budget),
                    measure::duration_text(after.settings.budget));
  return differences.take();
}

std::string percent_text(double change) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f %%", change * 100);
  return text;
}

std::string rate_text(const std::optional<Figure>& figure) {
  return figure ? measure::megabits_text(figure->rate.value) : "not measured";
}

std::string change_text(const RowChange& change) {
  if (!change.change) return "";
  return change.seen ? percent_text(*change.change) : "no difference seen";
}

std::string table(const Comparison& comparison, Direction direction, const TextStyle& style) {
  std::string text = padded(direction == Direction::write ? "write, to the NAS" : "read, from the NAS", 20) +
                     right_aligned("before", 14) + right_aligned("after", 14) + "  change\n";
  for (const RowChange& change : comparison.rows) {
    if (change.direction != direction || (!change.before && !change.after)) continue;
    const Emphasis emphasis = !change.seen         ? Emphasis::none
                              : *change.change > 0 ? Emphasis::good
                                                   : Emphasis::bad;
    text += padded("  " + std::string(name_of(change.row)), 20) +
            right_aligned(rate_text(change.before), 14) + right_aligned(rate_text(change.after), 14) + "  " +
            emphasize(change_text(change), emphasis, style) + "\n";
  }
  return text;
}

std::string name_of(const Report& report) {
  const std::string& label = report.evidence.label;
  return label.empty() ? report.evidence.started_at
                       : "“" + printable(label) + "” (" + report.evidence.started_at + ")";
}

}  // namespace

Comparison compare(const Report& before, const Report& after) {
  Comparison comparison;
  for (const Direction direction : {Direction::write, Direction::read})
    for (const Row row : kRows) comparison.rows.push_back(change_of(row, direction, before, after));
  comparison.also_changed = environment_differences(before.evidence, after.evidence);
  return comparison;
}

bool slower_by(const Comparison& comparison, double share) {
  const auto job_slower = [&](Direction direction) {
    for (const Row row : {Row::copy, Row::mount}) {
      const auto found =
          std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const RowChange& change) {
            return change.row == row && change.direction == direction && change.change;
          });
      if (found != comparison.rows.end()) return *found->change < -share;
    }
    return false;
  };
  return job_slower(Direction::write) || job_slower(Direction::read);
}

std::string comparison_text(const Comparison& comparison, const Report& before, const Report& after,
                            const TextStyle& style) {
  std::string text = "before: " + name_of(before) + "\nafter:  " + name_of(after) + "\n\n";
  if (!comparison.also_changed.empty()) {
    text += "What else changed between the two:\n";
    for (const std::string& line : comparison.also_changed)
      text += wrapped(printable(line), "  ", style.width);
    text += '\n';
  }
  for (const Direction direction : {Direction::write, Direction::read}) {
    text += table(comparison, direction, style);
    text += wrapped(verdict_line(before, direction), "  before  ", style.width);
    text += wrapped(verdict_line(after, direction), "  after   ", style.width) + '\n';
  }
  return text;
}

json::object to_json(const Comparison& comparison, const Report& before, const Report& after) {
  json::array rows;
  const auto rate = [](const std::optional<Figure>& figure) {
    return figure ? json::value(figure->rate.value.bits_per_second()) : json::value(nullptr);
  };
  for (const RowChange& change : comparison.rows)
    rows.push_back(
        json::object{{"figure", name_of(change.row)},
                     {"direction", to_string(change.direction)},
                     {"before_bits_per_second", rate(change.before)},
                     {"after_bits_per_second", rate(change.after)},
                     {"change", change.change ? json::value(*change.change) : json::value(nullptr)},
                     {"difference_seen", change.seen}});
  json::array also;
  for (const std::string& line : comparison.also_changed) also.push_back(json::value(line));
  return {{"format", "nasdiag-comparison"},
          {"version", 1},
          {"before", {{"label", before.evidence.label}, {"diagnosis", to_json(before.diagnosis)}}},
          {"after", {{"label", after.evidence.label}, {"diagnosis", to_json(after.diagnosis)}}},
          {"also_changed", std::move(also)},
          {"figures", std::move(rows)}};
}

}  // namespace nasdiag::report
