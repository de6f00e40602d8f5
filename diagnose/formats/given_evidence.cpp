#include "diagnose/formats/given_evidence.hpp"

#include <diagnose/formats/fio_evidence.hpp>
#include <diagnose/formats/fio_json.hpp>
#include <diagnose/formats/iperf3_result.hpp>
#include <diagnose/formats/pasted_evidence.hpp>
#include <diagnose/report/json_text.hpp>
#include <diagnose/report/report_json.hpp>

#include <boost/json.hpp>

#include <optional>
#include <stdexcept>

namespace nasdiag::formats {

namespace {

namespace json = boost::json;
using evidence::Evidence;
using evidence::ExperimentKind;
using measure::Severity;

bool looks_like_json(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

bool is_report(const json::value& value) {
  return value.is_object() && value.get_object().contains("format");
}

void add_iperf3(const json::value& value, const Given& given, Evidence& evidence) {
  const netbench::TcpResult result = tcp_result_from_iperf3_json(value, given.name);
  const auto kind =
      result.options.streams > 1 ? ExperimentKind::tcp_four_streams : ExperimentKind::tcp_one_stream;
  for (const measure::Note& note : result.notes)
    evidence.notes.push_back({note.code, Severity::warning, given.name + ": " + note.text});
  for (const netbench::DirectionResult& way : result.directions) {
    if (evidence.find(kind, way.direction) != nullptr) {
      evidence.notes.push_back({"second-figure", Severity::warning,
                                given.name + " was left out for " + to_string(way.direction) +
                                    ": there is a figure of its kind already."});
      continue;
    }
    evidence.experiments.push_back({.kind = kind,
                                    .direction = way.direction,
                                    .outcome = evidence::Outcome::ok,
                                    .origin = "iperf3, " + given.name,
                                    .took = result.duration,
                                    .result = result});
  }
}

void append(PastedText part, const Given& given, PastedText& whole, Evidence& evidence) {
  for (PastedFigure& figure : part.figures) {
    figure.source = given.name;
    figure.on_nas = given.ran_on_nas;
    whole.figures.push_back(std::move(figure));
  }
  whole.processors.insert(whole.processors.end(), part.processors.begin(), part.processors.end());
  for (const measure::Note& note : part.notes)
    evidence.notes.push_back({note.code, note.severity, given.name + ": " + note.text});
  if (part.unread.empty()) return;
  std::string text = given.name + ": nothing was taken from " + std::to_string(part.unread.size()) +
                     (part.unread.size() == 1 ? " line" : " lines") + ", the first of them “" +
                     part.unread.front().substr(0, 60) + "”.";
  evidence.notes.push_back({"lines-unread", Severity::warning, std::move(text)});
}

std::optional<json::value> json_of(const Given& given) {
  if (!looks_like_json(given.text)) return std::nullopt;
  return report::parse_json(given.text, given.name);
}

Evidence base_of(const std::vector<Given>& given, const std::vector<std::optional<json::value>>& documents) {
  std::optional<std::size_t> base;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!documents[i] || !is_report(*documents[i])) continue;
    if (base)
      throw std::runtime_error(
          given[*base].name + " and " + given[i].name +
          " are two saved reports: diagnose one, or compare them with `nasdiag compare`");
    base = i;
  }
  return base ? report::report_from_json(*documents[*base], given[*base].name).evidence : Evidence{};
}

}  // namespace

Evidence evidence_of_given(const std::vector<Given>& given) {
  std::vector<std::optional<json::value>> documents;
  documents.reserve(given.size());
  for (const Given& one : given) documents.push_back(json_of(one));
  Evidence evidence = base_of(given, documents);
  PastedText pasted;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!documents[i])
      append(read_pasted_text(given[i].text), given[i], pasted, evidence);
    else if (is_fio_json(*documents[i]))
      add_fio_results(results_from_fio_json(*documents[i]),
                      {.name = given[i].name, .ran_on_nas = given[i].ran_on_nas}, evidence);
    else if (is_iperf3_json(*documents[i]))
      add_iperf3(*documents[i], given[i], evidence);
    else if (!is_report(*documents[i]))
      throw std::runtime_error(given[i].name +
                               " is JSON, but neither a report of nasdiag nor what `iperf3 -J` or fio "
                               "--output-format=json write");
  }
  add_pasted_figures(pasted, evidence);
  return evidence;
}

}  // namespace nasdiag::formats
