#include "diagnose/verdict/causes/finding.hpp"

namespace nasdiag::verdict {

std::optional<Finding> client_finding(const evidence::Evidence& evidence, const DirectionFigures& figures,
                                      const Limit& limit) {
  if (limit.layer == Layer::client_disk) {
    const bool reads = figures.direction == measure::Direction::write;
    const auto* disk = saturation_in_files(evidence, figures.direction, "disk");
    Finding finding{.layer = Layer::client_disk,
                    .cause = "client-disk/slow-disk",
                    .confidence = disk != nullptr ? Confidence::certain : Confidence::likely,
                    .advice = std::string("This computer's disk is the limit: copy ") +
                              (reads ? "from" : "to") + " a faster one, or expect no more."};
    if (disk != nullptr) finding.evidence.push_back(disk->text);
    return finding;
  }
  if (limit.layer != Layer::mount) return std::nullopt;
  if (const auto* quota = saturation_in_files(evidence, figures.direction, "cpu-quota"))
    return Finding{.layer = Layer::client_cpu,
                   .cause = "client-cpu/quota",
                   .confidence = Confidence::likely,
                   .evidence = {quota->text},
                   .advice = "Programs here run under a limit of processor time (a container): raise it."};
  if (const auto* cores = saturation_in_files(evidence, figures.direction, "all-cores"))
    return Finding{
        .layer = Layer::client_cpu,
        .cause = "client-cpu/small-cpu",
        .confidence = Confidence::possible,
        .alternatives = {{Layer::mount, ""}},
        .settle_by = "Close other programs and run again.",
        .evidence = {cores->text},
        .advice =
            "All cores of this computer were busy during the copy: close other programs and run again."};
  return std::nullopt;
}

}  // namespace nasdiag::verdict
