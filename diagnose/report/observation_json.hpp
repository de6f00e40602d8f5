#pragma once

#include <diagnose/evidence/observation.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

// Without the mount's own counters, which belong to the file experiment's result.
boost::json::object to_json(const evidence::Observation& observation);
evidence::Observation observation_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
