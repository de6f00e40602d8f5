#include "diagnose/report/report.hpp"

namespace nasdiag::report {

namespace {

using evidence::ExperimentKind;
using measure::Direction;
using verdict::Figure;
using verdict::Layer;

std::optional<ExperimentKind> experiment_behind(Row row) {
  switch (row) {
    case Row::link:
      return std::nullopt;
    case Row::path:
      return ExperimentKind::tcp_four_streams;
    case Row::tcp:
      return ExperimentKind::tcp_one_stream;
    case Row::client_disk:
      return ExperimentKind::client_disk;
    case Row::nas_disk:
      return ExperimentKind::nas_disk;
    case Row::mount:
      return ExperimentKind::mount_to_memory;
    case Row::copy:
      return ExperimentKind::copy;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Row row) {
  switch (row) {
    case Row::link:
      return "link";
    case Row::path:
      return "TCP, 4 streams";
    case Row::tcp:
      return "TCP, 1 stream";
    case Row::client_disk:
      return "local disk";
    case Row::nas_disk:
      return "NAS's disk";
    case Row::mount:
      return "mount, memory";
    case Row::copy:
      return "copy";
  }
  return "link";
}

std::optional<Figure> figure_of(const Report& report, Row row, Direction direction) {
  const verdict::DirectionFigures& figures = report.diagnosis.of(direction).figures;
  switch (row) {
    case Row::link:
      return figures.of(Layer::link);
    case Row::path:
      return figures.of(Layer::path);
    case Row::tcp:
      return figures.of(Layer::tcp);
    case Row::client_disk:
      return figures.of(Layer::client_disk);
    case Row::nas_disk:
      return figures.of(Layer::nas_disk);
    case Row::mount:
      return figures.from_memory;
    case Row::copy:
      return figures.achieved;
  }
  return std::nullopt;
}

std::string why_not_measured(const Report& report, Row row, Direction direction) {
  if (const auto kind = experiment_behind(row)) {
    const evidence::Experiment* experiment = report.evidence.find(*kind, direction);
    if (experiment != nullptr && !experiment->failure.empty()) return experiment->failure;
    if (experiment != nullptr)
      if (const auto* transfer = std::get_if<filebench::TransferResult>(&experiment->result))
        for (const measure::Note& note : transfer->notes)
          if (note.severity == measure::Severity::void_) return note.text;
  }
  const verdict::DirectionFigures& figures = report.diagnosis.of(direction).figures;
  const std::string_view code = row == Row::link       ? "link-speed-wrong"
                                : row == Row::nas_disk ? "above-nas-disk"
                                                       : "above-link";
  const bool may_be_set_aside =
      row == Row::link || row == Row::nas_disk || row == Row::mount || row == Row::copy;
  for (const measure::Note& note : figures.set_aside)
    if (may_be_set_aside && (note.code == code || (row == Row::copy && note.code == "above-tcp")))
      return note.text;
  if (row == Row::link)
    return report.evidence.link.formula.empty() ? "The speed of the network interface is not known."
                                                : report.evidence.link.formula;
  return {};
}

}  // namespace nasdiag::report
