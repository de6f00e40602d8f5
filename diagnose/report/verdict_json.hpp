#pragma once

#include <diagnose/verdict/verdict.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

// Write only: a verdict is never read back but decided again.
boost::json::object to_json(const verdict::Diagnosis& diagnosis);

}  // namespace nasdiag::report
