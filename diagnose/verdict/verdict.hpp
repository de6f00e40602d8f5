#pragma once

// Which layer limits each direction, how sure that is, what to do and what that would gain. A pure function
// of the evidence: no clock, no files, no environment.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/verdict/confidence.hpp>
#include <diagnose/verdict/figures.hpp>
#include <diagnose/verdict/layer.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::verdict {

struct Candidate {
  Layer layer = Layer::mount;
  std::string cause;  // "mount/gvfs-overhead"; empty: only the layer is known
  bool operator==(const Candidate&) const = default;
};

// The next limit once the limiting layer is out of the way.
struct Next {
  Layer layer = Layer::link;
  measure::DataRate rate;
  double gain = 0;  // against today's rate: 0.5 is half as much again
  bool operator==(const Next&) const = default;
};

struct DirectionVerdict {
  std::optional<Layer> limiting_layer;  // none: could not be judged, `evidence` says why
  std::string cause;                    // empty: only the layer is known
  Confidence confidence = Confidence::possible;
  std::vector<Candidate> alternatives;
  std::optional<std::string> settle_by;  // the measurement that would tell the alternatives apart
  std::vector<std::string> evidence;     // sentences with figures
  std::vector<std::string> advice;
  std::vector<std::string> missing;  // figures that would make it firmer, and how to get them
  std::optional<Next> next;          // after the first fix
  std::optional<Next> after_next;    // after a second one, of what limits then
  DirectionFigures figures;
  bool operator==(const DirectionVerdict&) const = default;
};

struct Diagnosis {
  DirectionVerdict write;
  DirectionVerdict read;
  const DirectionVerdict& of(measure::Direction direction) const {
    return direction == measure::Direction::write ? write : read;
  }
  bool operator==(const Diagnosis&) const = default;
};

Diagnosis decide(const evidence::Evidence& evidence);

}  // namespace nasdiag::verdict
