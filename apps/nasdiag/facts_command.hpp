#pragma once

// nasdiag facts: what it sees before measuring anything.

#include "nasdiag/command_line.hpp"

#include <diagnose/evidence/facts.hpp>

namespace nasdiag::app {

int facts_command(const std::vector<std::string>& arguments);

// The options --server, --mount and --local, and the facts that they lead to. Throws UsageError if neither
// server nor mount is given, std::system_error if the mount folder doesn't exist.
po::options_description target_options();
evidence::Facts facts_of_target(const po::variables_map& values);

}  // namespace nasdiag::app
