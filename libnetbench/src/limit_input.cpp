#include "assemble.hpp"

namespace nasdiag::netbench {

LimitInput limit_input_of(const DirectionResult& direction, const TcpOptions& options, const EndsCpu&) {
  LimitInput input;
  input.throughput = direction.throughput;
  input.streams = options.streams;
  return input;
}

}  // namespace nasdiag::netbench
