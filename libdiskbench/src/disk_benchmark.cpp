#include "engine_choice.hpp"
#include "measurement.hpp"

#include <diskbench/disk_benchmark.hpp>

namespace nasdiag::diskbench {

DiskResult measure_disk(TestFile& file, const DiskOptions& options, measure::ProgressObserver& progress,
                        const std::stop_token& stop) {
  ChosenEngine engine = choose_engine(options.engine);
  DiskResult result = measure_disk_with(engine.make, file, options, progress, stop);
  result.notes.insert(result.notes.begin(), engine.notes.begin(), engine.notes.end());
  return result;
}

DiskResult measure_disk(const std::filesystem::path& directory, const DiskOptions& options,
                        measure::ProgressObserver& progress, const std::stop_token& stop) {
  TestFile file(directory);
  return measure_disk(file, options, progress, stop);
}

}  // namespace nasdiag::diskbench
