#pragma once

// Results of the file experiments that count requests and files instead of one stream of bytes.

#include <filebench/result.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const filebench::SweepResult& result);
filebench::SweepResult sweep_result_from_json(const boost::json::object& object);

boost::json::object to_json(const filebench::SmallFilesResult& result);
filebench::SmallFilesResult small_files_result_from_json(const boost::json::object& object);

boost::json::object to_json(const filebench::ListingResult& result);
filebench::ListingResult listing_result_from_json(const boost::json::object& object);

boost::json::object to_json(const filebench::CommitResult& result);
filebench::CommitResult commit_result_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
