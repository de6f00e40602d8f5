#pragma once

// TCP_INFO of any socket of this network namespace, kernel-owned ones included, through sock_diag.

#include <diagnose/observe/counters.hpp>

#include <string>
#include <vector>

namespace nasdiag::observe {

// Established connections to an address, to any port. Throws std::system_error if the kernel can't be asked.
std::vector<SocketState> connections_to(const std::string& address);

}  // namespace nasdiag::observe
