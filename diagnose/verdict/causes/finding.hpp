#pragma once

// What a family of causes makes of the evidence, once the figures have said which layers are reached. Pure
// functions, one file per family; none sees another.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/verdict/limit.hpp>
#include <diagnose/verdict/verdict.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nasdiag::verdict {

struct Finding {
  Layer layer = Layer::mount;
  std::string cause;  // empty: only the layer is known
  Confidence confidence = Confidence::possible;
  std::vector<Candidate> alternatives;
  std::optional<std::string> settle_by;
  std::vector<std::string> evidence;  // beside the sentence that compares the rates
  std::string advice;
};

// link, path, tcp, and processors that the network test itself found full. For a limit in one of the network
// layers, or for a file job whose one connection suffers from what limits one stream.
std::optional<Finding> network_finding(const evidence::Evidence& evidence, const DirectionFigures& figures,
                                       const Limit& limit);

// The NAS's disks, told by what happened between the last write() and the return of fsync, by a rate that
// fell after a number of bytes, and by a second read of the same bytes. For a file job below every capacity.
std::optional<Finding> nas_disk_finding(const evidence::Evidence& evidence, const DirectionFigures& figures,
                                        const Limit& limit);

// This computer's disk and processor.
std::optional<Finding> client_finding(const evidence::Evidence& evidence, const DirectionFigures& figures,
                                      const Limit& limit);

// What is left: the mount, by its kind and options, and by how busy the programs are that serve it. Always
// finds something.
Finding mount_finding(const evidence::Evidence& evidence, const DirectionFigures& figures,
                      const Limit& limit);

// Result of an experiment, if it carries one of that kind.
template <class Result>
const Result* result_of(const evidence::Evidence& evidence, evidence::ExperimentKind kind,
                        measure::Direction direction) {
  const evidence::Experiment* experiment = evidence.find(kind, direction);
  return experiment != nullptr ? std::get_if<Result>(&experiment->result) : nullptr;
}

// The saturation of that code seen during the file experiments of this direction, the copy first.
const evidence::Saturation* saturation_in_files(const evidence::Evidence& evidence,
                                                measure::Direction direction, std::string_view code);

}  // namespace nasdiag::verdict
