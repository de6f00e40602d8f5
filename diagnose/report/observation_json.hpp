#pragma once

#include <diagnose/evidence/observation.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const evidence::Observation& observation);
evidence::Observation observation_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
