#pragma once

#include <filebench/counters.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const filebench::MountCounters& counters);
filebench::MountCounters mount_counters_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
