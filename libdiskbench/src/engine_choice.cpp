#include "engine_choice.hpp"

#include "blocking_engine.hpp"
#include "null_engine.hpp"
#include "uring_engine.hpp"

#include <diskbench/error.hpp>

#include <cstring>
#include <string>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

std::unique_ptr<IoEngine> make_blocking(const EngineSetup& setup) {
  return std::make_unique<BlockingEngine>(setup);
}
std::unique_ptr<IoEngine> make_uring(const EngineSetup& setup) {
  return std::make_unique<UringEngine>(setup);
}
std::unique_ptr<IoEngine> make_null(const EngineSetup& setup) {
  return std::make_unique<NullEngine>(setup.block_size);
}

// A ring as large as this one may still be refused, by RLIMIT_MEMLOCK on older kernels.
std::unique_ptr<IoEngine> make_uring_or_blocking(const EngineSetup& setup) try {
  return make_uring(setup);
} catch (const std::system_error&) {
  return make_blocking(setup);
}

}  // namespace

ChosenEngine choose_engine(EngineChoice wanted) {
  if (wanted == EngineChoice::null) return {.make = make_null, .notes = {}};
  if (wanted == EngineChoice::blocking) return {.make = make_blocking, .notes = {}};
  const int error = probe_io_uring();
  if (wanted == EngineChoice::io_uring) {
    if (error != 0)
      throw std::system_error(Errc::engine_unavailable,
                              std::string("io_uring can't be used here (") + std::strerror(error) +
                                  "); leave the engine out to use ordinary reads and writes");
    return {.make = make_uring, .notes = {}};
  }
  if (error == 0) return {.make = make_uring_or_blocking, .notes = {}};
  return {.make = make_blocking,
          .notes = {{.code = "io-uring-unavailable",
                     .severity = measure::Severity::info,
                     .text = std::string("io_uring can't be used here (") + std::strerror(error) +
                             "), so ordinary reads and writes on one thread per request are used."}}};
}

}  // namespace nasdiag::diskbench
