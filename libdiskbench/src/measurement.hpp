#pragma once

// The steps of one measurement, with the engine as a parameter so that tests can put a failing one in.

#include "io_engine.hpp"

#include <diskbench/disk_benchmark.hpp>

namespace nasdiag::diskbench {

// measure_disk through engines made by `make_engine`, for preparing as well.
DiskResult measure_disk_with(const EngineFactory& make_engine, TestFile& file, const DiskOptions& options,
                             measure::ProgressObserver& progress, const std::stop_token& stop);

}  // namespace nasdiag::diskbench
