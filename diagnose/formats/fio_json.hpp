#pragma once

// fio's JSON (--output-format=json, version 3), written and read: the layout scripts know, so that they read
// nasdiag's results, and nasdiag reads what people have measured with fio.

#include <diskbench/result.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace nasdiag::formats {

// One element of "jobs" per result, with fio's names for what fio has (rates of writes durable, as with
// fio's --end_fsync). What fio has not is in "nasdiag" of each job.
boost::json::object fio_json(const std::vector<diskbench::DiskResult>& results,
                             std::chrono::system_clock::time_point now);

// Does this look like what fio writes?
bool is_fio_json(const boost::json::value& value);

// The folder or file of a job is in storage.mount_point.
// One result per job of fio's, without samples; latencies only where fio was asked for its bins (json+).
std::vector<diskbench::DiskResult> results_from_fio_json(const boost::json::value& value);

}  // namespace nasdiag::formats
