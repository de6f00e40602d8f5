#pragma once

// Results of the disk layer in saved reports.

#include <diskbench/result.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const diskbench::DiskOptions& options);
diskbench::DiskOptions disk_options_from_json(const boost::json::object& object);

boost::json::object to_json(const diskbench::Storage& storage);
diskbench::Storage storage_from_json(const boost::json::object& object);

boost::json::object to_json(const diskbench::DiskResult& result);
diskbench::DiskResult disk_result_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
