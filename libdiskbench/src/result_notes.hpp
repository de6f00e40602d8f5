#pragma once

// What a reader of the result has to know: pure functions of it.

#include <diskbench/result.hpp>

namespace nasdiag::diskbench {

measure::Notes notes_of(const DiskResult& result);

}  // namespace nasdiag::diskbench
