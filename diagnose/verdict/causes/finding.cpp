#include "diagnose/verdict/causes/finding.hpp"

#include <algorithm>

namespace nasdiag::verdict {

const evidence::Saturation* saturation_in_files(const evidence::Evidence& evidence,
                                                measure::Direction direction, std::string_view code) {
  using evidence::ExperimentKind;
  for (const ExperimentKind kind : {ExperimentKind::copy, ExperimentKind::mount_to_memory}) {
    const evidence::Experiment* experiment = evidence.find(kind, direction);
    if (experiment == nullptr || !experiment->observation) continue;
    const auto& all = experiment->observation->saturations;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.code == code; });
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

}  // namespace nasdiag::verdict
