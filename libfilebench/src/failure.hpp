#pragma once

// What ended an experiment, as a value and as one sentence.

#include "shared_progress.hpp"

#include <measure/quantity.hpp>

#include <optional>
#include <string>

namespace nasdiag::filebench {

enum class Side { mount, local };

struct Failure {
  Activity activity = Activity::idle;
  int error = 0;  // errno
  Side side = Side::mount;
};

// "write on the mount failed after 312.0 MB: No space left on device. The disk is full: …"
std::string failure_sentence(const Failure& failure, std::optional<measure::ByteCount> moved);

// What to do about an error number; empty if there is nothing to add.
std::string advice_for(int error);

}  // namespace nasdiag::filebench
