#pragma once

// What a TCP result means, in sentences; the figures themselves are in the table above it.

#include "diagnose/report/text_layout.hpp"

#include <netbench/path.hpp>
#include <netbench/result.hpp>
#include <netbench/sweep.hpp>

#include <string>

namespace nasdiag::report {

std::string network_text(const netbench::TcpResult& result, const TextStyle& style);
std::string stream_sweep_text(const netbench::StreamSweep& sweep, const TextStyle& style);
std::string window_sweep_text(const netbench::WindowSweep& sweep, const TextStyle& style);
std::string path_text(const netbench::PathFacts& path, const TextStyle& style);

}  // namespace nasdiag::report
