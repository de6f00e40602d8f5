#pragma once

// A finished run: what was seen and what follows from it. The value that is saved, shown and compared.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/verdict/verdict.hpp>

namespace nasdiag::report {

struct Report {
  evidence::Evidence evidence;
  verdict::Diagnosis diagnosis;
  bool operator==(const Report&) const = default;
};

inline Report make_report(evidence::Evidence evidence) {
  verdict::Diagnosis diagnosis = verdict::decide(evidence);
  return {std::move(evidence), std::move(diagnosis)};
}

// The figures of a report in the order they are shown, the same rows everywhere.
enum class Row { link, path, tcp, client_disk, nas_disk, mount, copy };
inline constexpr std::array kRows{Row::link,     Row::path,  Row::tcp, Row::client_disk,
                                  Row::nas_disk, Row::mount, Row::copy};

std::string_view name_of(Row row);  // "network, 4 streams"
// Nothing: not measured.
std::optional<verdict::Figure> figure_of(const Report& report, Row row, measure::Direction direction);
// Why it was not measured and how to get it; empty if nothing is known about that.
std::string why_not_measured(const Report& report, Row row, measure::Direction direction);

}  // namespace nasdiag::report
