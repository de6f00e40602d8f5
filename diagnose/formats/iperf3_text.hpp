#pragma once

// A TCP result as iperf3 prints it: the interval table and the sums.

#include <netbench/result.hpp>

#include <string>

namespace nasdiag::formats {

std::string iperf3_text(const netbench::TcpResult& result, measure::Seconds interval);

// "112 MBytes": powers of 1024, three significant digits. "941 Mbits/sec": powers of 1000.
std::string iperf3_amount(measure::ByteCount amount);
std::string iperf3_rate(measure::DataRate rate);

}  // namespace nasdiag::formats
