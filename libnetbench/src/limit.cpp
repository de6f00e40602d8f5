#include <netbench/limit.hpp>

namespace nasdiag::netbench {

LimitFinding classify_limit(const LimitInput&) { return {}; }

}  // namespace nasdiag::netbench
