#include "field_case.hpp"

#include <diagnose/formats/hand_figures.hpp>

namespace nasdiag::test {

namespace {

using formats::HandFigures;
using measure::DataRate;

std::optional<DataRate> megabits(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  return DataRate::megabits_per_second(*number);
}

std::optional<DataRate> megabytes(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  return DataRate::megabytes_per_second(*number);
}

HandFigures::Way way_of(const ReportedFigures& figures) {
  return {.tcp_one_stream = megabits(figures.tcp_one_stream_mbit),
          .tcp_more_streams = megabits(figures.tcp_more_streams_mbit),
          .nas_disk = megabytes(figures.nas_disk_mbyte),
          .client_disk = megabytes(figures.client_disk_mbyte),
          .file = megabytes(figures.file_mbyte)};
}

// What the reporter could have typed behind `nasdiag diagnose`.
HandFigures hand_figures_of(const FieldCase& field_case) {
  HandFigures figures{.write = way_of(field_case.write), .read = way_of(field_case.read)};
  figures.streams = field_case.streams;
  if (field_case.retransmits) figures.retransmits = static_cast<std::int64_t>(*field_case.retransmits);
  figures.link = megabits(field_case.link_mbit);
  figures.mtu = field_case.mtu;
  figures.way = field_case.way;
  figures.usb_nic = field_case.adapter.find("USB") != std::string::npos;
  if (!field_case.protocols.empty()) figures.mount_kind = field_case.protocols.front();
  figures.mount_options = field_case.mount_options;
  if (field_case.rtt_ms) figures.told.round_trip = measure::Seconds(*field_case.rtt_ms / 1000);
  if (field_case.small_files_per_second)
    figures.told.small_files = measure::OpRate::per_second(*field_case.small_files_per_second);
  return figures;
}

}  // namespace

evidence::Evidence evidence_of(const FieldCase& field_case) {
  evidence::Evidence evidence;
  evidence.label = field_case.id;
  formats::add_hand_figures(hand_figures_of(field_case), evidence);
  return evidence;
}

}  // namespace nasdiag::test
