#pragma once

#include "io_engine.hpp"

#include <diskbench/options.hpp>
#include <measure/note.hpp>

namespace nasdiag::diskbench {

struct ChosenEngine {
  EngineFactory make;
  measure::Notes notes;  // why it isn't the one that was asked for
};

// Throws std::system_error (Errc::engine_unavailable) if the engine asked for doesn't work here.
ChosenEngine choose_engine(EngineChoice wanted);

}  // namespace nasdiag::diskbench
