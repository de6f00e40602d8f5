#pragma once

// A TCP result in the layout of `iperf3 -J`, so that what reads that reads ours. What iperf3 doesn't have is
// not in here; the caller adds it under a key of its own.

#include <netbench/result.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <string>

namespace nasdiag::formats {

struct Iperf3Context {
  std::string version;      // "nasdiag 0.1.0"
  std::string system_info;  // as uname prints it
  std::chrono::system_clock::time_point started_at;
  measure::Seconds interval{1};
};

boost::json::object iperf3_json(const netbench::TcpResult& result, const Iperf3Context& context);

// {"start": …, "error": text}, as iperf3 reports a test that failed.
boost::json::object iperf3_error_json(const std::string& error, const Iperf3Context& context);

}  // namespace nasdiag::formats
