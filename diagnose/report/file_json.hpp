#pragma once

#include <filebench/mount.hpp>
#include <filebench/result.hpp>

#include <boost/json.hpp>

#include <string_view>

namespace nasdiag::report {

boost::json::object to_json(const filebench::TransferResult& result);
filebench::TransferResult transfer_result_from_json(const boost::json::object& object);

// Unknown words: skipped.
filebench::Outcome outcome_from_text(std::string_view text);

boost::json::object to_json(const filebench::Mount& mount);
filebench::Mount mount_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
