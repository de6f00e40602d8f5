#include "diagnose/report/evidence_json.hpp"

#include "diagnose/report/disk_json.hpp"
#include "diagnose/report/facts_json.hpp"
#include "diagnose/report/file_json.hpp"
#include "diagnose/report/file_operations_json.hpp"
#include "diagnose/report/measure_json.hpp"
#include "diagnose/report/network_json.hpp"
#include "diagnose/report/observation_json.hpp"

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using evidence::Outcome;
using report::to_json;  // those below would hide the shared ones

// Which library's result an experiment carries.
constexpr std::string_view kTcp = "tcp";
constexpr std::string_view kDisk = "disk";
constexpr std::string_view kTransfer = "transfer";
constexpr std::string_view kCommits = "commits";

std::optional<ExperimentKind> kind_from_text(std::string_view text) {
  for (const auto kind :
       {ExperimentKind::tcp_one_stream, ExperimentKind::tcp_four_streams, ExperimentKind::tcp_window,
        ExperimentKind::tcp_again, ExperimentKind::client_disk, ExperimentKind::nas_disk,
        ExperimentKind::mount_to_memory, ExperimentKind::mount_again, ExperimentKind::mount_parallel,
        ExperimentKind::commits, ExperimentKind::copy})
    if (to_string(kind) == text) return kind;
  return std::nullopt;
}

Outcome outcome_from_text(std::string_view text) {
  for (const auto outcome : {Outcome::ok, Outcome::failed, Outcome::skipped})
    if (to_string(outcome) == text) return outcome;
  return Outcome::skipped;
}

void put_result(json::object& object, const evidence::ExperimentResult& result) {
  if (const auto* tcp = std::get_if<netbench::TcpResult>(&result)) object[kTcp] = to_json(*tcp);
  if (const auto* disk = std::get_if<diskbench::DiskResult>(&result)) object[kDisk] = to_json(*disk);
  if (const auto* file = std::get_if<filebench::TransferResult>(&result)) object[kTransfer] = to_json(*file);
  if (const auto* commits = std::get_if<filebench::CommitResult>(&result))
    object[kCommits] = to_json(*commits);
}

evidence::ExperimentResult result_from_json(const json::object& object) {
  if (has_object(object, kTcp)) return tcp_result_from_json(object_at(object, kTcp));
  if (has_object(object, kDisk)) return disk_result_from_json(object_at(object, kDisk));
  if (has_object(object, kTransfer)) return transfer_result_from_json(object_at(object, kTransfer));
  if (has_object(object, kCommits)) return commit_result_from_json(object_at(object, kCommits));
  return std::monostate();
}

// The series that the figure was taken from, where every reader finds it whatever the layer.
json::array samples_of(const Experiment& experiment) {
  if (const auto* tcp = std::get_if<netbench::TcpResult>(&experiment.result)) {
    const auto* flow = tcp->find(experiment.direction);
    return flow != nullptr ? to_json(flow->series) : json::array();
  }
  if (const auto* disk = std::get_if<diskbench::DiskResult>(&experiment.result)) {
    // The direction is the job's: writing to the NAS reads the client's disk and writes the NAS's.
    const bool written =
        (experiment.direction == measure::Direction::write) == (experiment.kind == ExperimentKind::nas_disk);
    const auto& figures = written ? disk->write : disk->read;
    return figures ? to_json(figures->samples) : json::array();
  }
  if (const auto* file = std::get_if<filebench::TransferResult>(&experiment.result))
    return to_json(file->samples);
  return {};
}

measure::Notes notes_of(const Experiment& experiment) {
  if (const auto* tcp = std::get_if<netbench::TcpResult>(&experiment.result)) return tcp->notes;
  if (const auto* disk = std::get_if<diskbench::DiskResult>(&experiment.result)) return disk->notes;
  if (const auto* file = std::get_if<filebench::TransferResult>(&experiment.result)) return file->notes;
  if (const auto* commits = std::get_if<filebench::CommitResult>(&experiment.result)) return commits->notes;
  return {};
}

json::object to_json(const Experiment& experiment) {
  json::object object{
      {"kind", to_string(experiment.kind)},
      {"direction", to_string(experiment.direction)},
      {"outcome", to_string(experiment.outcome)},
      {"failure", experiment.failure.empty() ? json::value(nullptr) : json::value(experiment.failure)}};
  if (!experiment.origin.empty()) object["origin"] = experiment.origin;
  put(object, "started", experiment.started);
  put(object, "took", experiment.took);
  object["samples"] = samples_of(experiment);
  object["notes"] = to_json(notes_of(experiment));
  put_result(object, experiment.result);
  if (experiment.observation) object["observation"] = to_json(*experiment.observation);
  return object;
}

std::optional<Experiment> experiment_from_json(const json::object& object) {
  const auto kind = kind_from_text(text_at(object, "kind").value_or(""));
  const auto direction = direction_from_text(text_at(object, "direction").value_or(""));
  if (!kind || !direction) return std::nullopt;  // of a newer version
  Experiment experiment{.kind = *kind, .direction = *direction};
  experiment.outcome = outcome_from_text(text_at(object, "outcome").value_or(""));
  experiment.failure = text_at(object, "failure").value_or("");
  experiment.origin = text_at(object, "origin").value_or("");
  experiment.started = seconds_at(object, "started").value_or(measure::Seconds(0));
  experiment.took = seconds_at(object, "took").value_or(measure::Seconds(0));
  experiment.result = result_from_json(object);
  if (has_object(object, "observation"))
    experiment.observation = observation_from_json(object_at(object, "observation"));
  return experiment;
}

json::object to_json(const evidence::Told& told) {
  json::object object;
  if (told.nas_busiest_core) object["nas_busiest_core"] = *told.nas_busiest_core;
  if (told.client_busiest_core) object["client_busiest_core"] = *told.client_busiest_core;
  put(object, "nas_commit", told.nas_commit);
  put(object, "round_trip", told.round_trip);
  if (told.small_files) object["small_files_per_second"] = told.small_files->per_second();
  return object;
}

evidence::Told told_from_json(const json::object& object) {
  evidence::Told told{.nas_busiest_core = number_at(object, "nas_busiest_core"),
                      .client_busiest_core = number_at(object, "client_busiest_core"),
                      .nas_commit = seconds_at(object, "nas_commit"),
                      .round_trip = seconds_at(object, "round_trip"),
                      .small_files = {}};
  if (const auto files = number_at(object, "small_files_per_second"))
    told.small_files = measure::OpRate::per_second(*files);
  return told;
}

json::object to_json(const evidence::RunSettings& settings) {
  json::object object{{"server", settings.server},
                      {"port", settings.port},
                      {"mount_folder", settings.mount_folder},
                      {"local_folder", settings.local_folder},
                      {"demo", settings.demo}};
  put(object, "budget", settings.budget);
  return object;
}

evidence::RunSettings settings_from_json(const json::object& object) {
  return {.server = text_at(object, "server").value_or(""),
          .port = static_cast<int>(integer_at(object, "port").value_or(0)),
          .mount_folder = text_at(object, "mount_folder").value_or(""),
          .local_folder = text_at(object, "local_folder").value_or(""),
          .budget = seconds_at(object, "budget").value_or(measure::Seconds(0)),
          .demo = bool_at(object, "demo").value_or(false)};
}

}  // namespace

void put_evidence(json::object& report, const Evidence& evidence) {
  report["settings"] = to_json(evidence.settings);
  report["interrupted"] = evidence.interrupted;
  put(report, "took", evidence.took);
  report["facts"] = to_json(evidence.facts);
  report["link"] = to_json(evidence.link);
  report["notes"] = to_json(evidence.notes);
  json::array experiments;
  for (const Experiment& experiment : evidence.experiments) experiments.push_back(to_json(experiment));
  report["experiments"] = std::move(experiments);
  report["told"] = to_json(evidence.told);
}

Evidence evidence_from_json(const json::object& report) {
  Evidence evidence;
  evidence.label = text_at(report, "label").value_or("");
  evidence.started_at = text_at(report, "started_at").value_or("");
  evidence.nasdiag_version = text_at(report, "nasdiag_version").value_or("");
  evidence.settings = settings_from_json(object_at(report, "settings"));
  evidence.facts = facts_from_json(object_at(report, "facts"));
  evidence.link = link_payload_from_json(object_at(report, "link"));
  for (const json::value& value : array_at(report, "experiments")) {
    if (!value.is_object()) continue;
    if (auto experiment = experiment_from_json(value.get_object()))
      evidence.experiments.push_back(std::move(*experiment));
  }
  evidence.told = told_from_json(object_at(report, "told"));
  evidence.interrupted = bool_at(report, "interrupted").value_or(false);
  evidence.took = seconds_at(report, "took").value_or(measure::Seconds(0));
  evidence.notes = notes_from_json(array_at(report, "notes"));
  return evidence;
}

}  // namespace nasdiag::report
