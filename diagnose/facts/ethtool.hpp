#pragma once

// What only the driver knows of an interface, asked through the ethtool ioctls. Each question may be
// refused; then its field stays as it was.

#include <diagnose/evidence/facts.hpp>

namespace nasdiag::facts {

// Link modes of both ends, driver, firmware, offloads, rings, channels, pause setting. Leaves `speed` and
// `duplex` alone: sysfs says the same where it is true. Changes nothing; the interface need not exist.
void ask_driver(evidence::Nic& nic);

// Speeds of a bit map of ETHTOOL_LINK_MODE_*, ascending, each once.
std::vector<measure::DataRate> link_mode_speeds(const std::uint32_t* words, std::size_t count);

}  // namespace nasdiag::facts
