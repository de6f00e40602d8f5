#pragma once

// Real reported cases with an established cause (tests/data/field-cases), and the evidence nasdiag would have
// had: a pure conversion of the figures that were reported, nothing added.

#include <diagnose/evidence/evidence.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nasdiag::test {

// One direction's figures, as reported; absent: not given.
struct ReportedFigures {
  std::optional<double> tcp_one_stream_mbit;
  std::optional<double> tcp_more_streams_mbit;
  std::optional<double> nas_disk_mbyte;  // a write's: writing on the NAS; a read's: reading
  std::optional<double> client_disk_mbyte;
  std::optional<double> file_mbyte;
  std::string limiting_layer;  // expected: a layer's name, "none", "unknown"
};

struct FieldCase {
  std::string id;
  std::string true_cause;
  std::vector<std::string> contributing_causes;
  std::string complaint;  // "read", "write", "both", "metadata", "none"
  std::string scope;      // "nas", "network-only", "storage-only"
  std::optional<double> link_mbit;
  std::optional<int> mtu;
  std::vector<std::string> protocols;
  std::string mount_options;
  std::string way;  // "direct", "switch", "routed", "vpn", "wifi"; empty: not said
  std::string adapter;
  std::optional<int> streams;
  std::optional<double> retransmits;
  std::optional<double> rtt_ms;
  std::optional<double> small_files_per_second;
  ReportedFigures write;
  ReportedFigures read;

  const ReportedFigures& of(measure::Direction direction) const {
    return direction == measure::Direction::write ? write : read;
  }
  bool complains_of(measure::Direction direction) const {
    return complaint == "both" || complaint == to_string(direction);
  }
  // A file job, and the raw TCP rate of its direction: without that, link, path and tcp can't be excluded.
  bool has_enough_figures(measure::Direction direction) const {
    const ReportedFigures& figures = of(direction);
    return figures.file_mbyte && (figures.tcp_one_stream_mbit || figures.tcp_more_streams_mbit);
  }
};

// Throws std::runtime_error if the file can't be read.
std::vector<FieldCase> read_field_cases(const std::filesystem::path& file);

evidence::Evidence evidence_of(const FieldCase& field_case);

}  // namespace nasdiag::test
