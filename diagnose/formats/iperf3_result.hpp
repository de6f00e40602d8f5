#pragma once

// What `iperf3 -J` wrote, read as a TCP result: the layout of iperf3 3.1 to 3.19.

#include <netbench/result.hpp>

#include <boost/json/value.hpp>

namespace nasdiag::formats {

// Does this look like what iperf3 writes?
bool is_iperf3_json(const boost::json::value& value);

// Seen from the machine that ran the client, taken to be the client of the NAS too. A UDP test and one that
// printed an "error" have no direction in it and a note that says why. Throws std::runtime_error if there are
// no results at all; `source` names the file in that text.
netbench::TcpResult tcp_result_from_iperf3_json(const boost::json::value& value, const std::string& source);

}  // namespace nasdiag::formats
