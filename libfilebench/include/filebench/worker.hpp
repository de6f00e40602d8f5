#pragma once

// All I/O on a mount happens in a worker process: a thread or process that waits for a dead mount can't
// always be ended, and nobody may have to wait for it. The worker is this program itself, started again
// with one hidden argument. So every main() begins with
//
//   if (const auto status = nasdiag::filebench::run_worker_if_asked(argc, argv)) return *status;
//
// before it starts threads or touches anything.

#include <optional>

namespace nasdiag::filebench {

// Nothing: this is an ordinary start of the program. Else: the worker has run to its end, and main returns
// this.
std::optional<int> run_worker_if_asked(int argc, char** argv);

}  // namespace nasdiag::filebench
