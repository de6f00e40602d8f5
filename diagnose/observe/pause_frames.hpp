#pragma once

// Pause frames counted by the network driver (ethtool netlink, Linux 5.10 and drivers that take part).

#include <cstdint>
#include <optional>
#include <string>

namespace nasdiag::observe {

struct PauseFrames {
  std::optional<std::int64_t> received, sent;
};

// Since the interface was made. Nothing known: both absent. Never throws.
class PauseFrameReader {
 public:
  PauseFrameReader();
  PauseFrames read(const std::string& interface) const;

 private:
  int family_ = 0;  // the number of "ethtool" in this kernel; 0: it doesn't know it
};

}  // namespace nasdiag::observe
