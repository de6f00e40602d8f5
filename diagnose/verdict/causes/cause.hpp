#pragma once

// A row of the catalogue of causes: what people are told about a cause, as data, and beside it the function
// that recognises it. A family (link, path, tcp …) is one table in one file. docs/causes.md is made from the
// same rows.

#include <diagnose/verdict/confidence.hpp>
#include <diagnose/verdict/layer.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::verdict {

struct Situation;

// How well a cause explains what was seen, 0 to 1: from an observation that names the cause itself down to a
// possibility that nothing excludes. Only to rank the causes of one situation.
namespace strength {
inline constexpr double kNamed = 0.95;  // an observation names it, and the figures agree
inline constexpr double kStrong = 0.8;  // the figures have its signature, and its look-alikes are excluded
// One connection suffers from what limits a single stream; the mount over it may be slow besides.
inline constexpr double kConnection = 0.75;
inline constexpr double kGood = 0.7;   // the signature, look-alikes not looked at
inline constexpr double kFair = 0.55;  // the usual reason for such figures
inline constexpr double kEven = 0.45;  // as likely as its look-alikes
inline constexpr double kWeak = 0.35;  // less so
inline constexpr double kHint = 0.2;   // nothing speaks against it
}  // namespace strength

struct Sign {
  double strength = 0;
  // Certain only where a measured capacity is reached and an observation agrees.
  Confidence most = Confidence::likely;
  std::vector<std::string> evidence;  // sentences with the figures of this situation
  std::string advice;                 // in place of the row's, with names and figures of this situation
};

struct LookAlike {
  std::string_view id;
  std::string_view told_apart_by;  // the observation, as something to do
};

struct Cause {
  std::string_view id;         // "link/cable"; in saved reports, stays
  std::optional<Layer> layer;  // that it limits; none: the figure is wrong, not the system
  std::string_view meaning;
  std::string_view seen;                 // what must be seen
  std::string_view against;              // what speaks against it
  std::array<LookAlike, 3> look_alikes;  // as many as have an id
  std::string_view advice;               // with the exact setting or command
  std::string_view gain;
  // None: no single run shows it; it is listed for people.
  std::optional<Sign> (*recognise)(const Situation&);
};

std::span<const Cause> link_causes();
std::span<const Cause> path_causes();
std::span<const Cause> tcp_causes();
std::span<const Cause> nas_disk_causes();
std::span<const Cause> nas_cpu_causes();
std::span<const Cause> mount_causes();
std::span<const Cause> client_disk_causes();
std::span<const Cause> client_cpu_causes();
std::span<const Cause> client_app_causes();
std::span<const Cause> bench_causes();
std::span<const Cause> none_causes();

}  // namespace nasdiag::verdict
