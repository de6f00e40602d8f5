#pragma once

// What the evidence says as figures: for each direction what each layer alone could deliver (capacity) and
// what the file job over the mount got (achieved). The verdict reasons about these and nothing else.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/verdict/layer.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <netbench/plateau.hpp>

#include <array>
#include <optional>
#include <string>

namespace nasdiag::verdict {

// A rate above the link by more than this did not cross it. Headers, clocks and rounding stay below.
inline constexpr double kAboveLink = 1.03;

enum class Source { measured, derived, unknown };

constexpr const char* to_string(Source source) {
  switch (source) {
    case Source::measured:
      return "measured";
    case Source::derived:
      return "derived";
    case Source::unknown:
      return "unknown";
  }
  return "unknown";
}

// Of the way to the server, which the headers on the line depend on.
netbench::IpVersion ip_version(const evidence::Evidence& evidence);

struct Interval {
  measure::DataRate value, low, high;
  bool operator==(const Interval&) const = default;
};

struct Figure {
  Interval rate;
  Source source = Source::unknown;
  std::string how;  // "4 streams, received by the NAS", "negotiated speed × 94.15 %"
  bool operator==(const Figure&) const = default;
};

// TCP before the files and after them.
struct NetworkChange {
  measure::DataRate before, after;
  bool operator==(const NetworkChange&) const = default;
};

struct DirectionFigures {
  measure::Direction direction = measure::Direction::write;
  std::array<std::optional<Figure>, kLayers.size()> capacity;  // by index_of(layer)
  std::optional<Figure> achieved;     // the copy between a local folder and the mount
  std::optional<Figure> from_memory;  // the mount alone: written from memory, read into memory
  // The network became another one during the run; its capacities are then those after the files.
  std::optional<NetworkChange> network_change;
  // The rate at which a write that ended with a short flush moved until then. A longer file would come closer
  // to it.
  std::optional<measure::DataRate> while_moving;
  // Likewise of a write that this computer's memory took first: what the interface sent at its peak. A second
  // of it holds the pauses of the programs that fill that memory, so it stays a little below what goes.
  std::optional<measure::DataRate> wire_peak;
  // Of a read: the part that the NAS had just read, once more, so that it comes out of the NAS's memory.
  std::optional<Figure> again;
  // The mount alone with four files at once.
  std::optional<Figure> in_parallel;
  measure::Notes set_aside;  // figures that can't be true, and why

  const std::optional<Figure>& of(Layer layer) const { return capacity[index_of(layer)]; }
  std::optional<Figure>& of(Layer layer) { return capacity[index_of(layer)]; }
  bool operator==(const DirectionFigures&) const = default;
  // The job, or what stands in for it where the copy could not be measured.
  const std::optional<Figure>& job() const { return achieved ? achieved : from_memory; }
};

DirectionFigures figures_of(const evidence::Evidence& evidence, measure::Direction direction);

}  // namespace nasdiag::verdict
