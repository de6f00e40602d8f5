#pragma once

#include <netbench/result.hpp>

#include <boost/json.hpp>

namespace nasdiag::report {

boost::json::object to_json(const netbench::TcpResult& result);
netbench::TcpResult tcp_result_from_json(const boost::json::object& object);

}  // namespace nasdiag::report
