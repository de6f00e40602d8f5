#pragma once

#include <diagnose/evidence/observation.hpp>

#include <string>

namespace nasdiag::report {

// One screen: what is saturated on top, then where the time goes. Lines are cut to `width`.
std::string observation_text(const evidence::Observation& observation, std::size_t width);

}  // namespace nasdiag::report
