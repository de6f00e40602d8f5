#include "worker_state.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

namespace nasdiag::filebench {

void WorkerState::remove(const std::filesystem::path& path) {
  progress.enter(Activity::remove);
  std::error_code ignored;  // what stays goes with the folder
  std::filesystem::remove(path, ignored);
  progress.enter(Activity::idle);
}

WorkerState::FittedSize WorkerState::fit_to_space(const std::filesystem::path& folder, ByteCount wanted) {
  constexpr std::int64_t kBlock = 4096;
  FittedSize fitted{.size = wanted, .notes = {}};
  progress.enter(Activity::stat);
  const auto space = measure::writable_space(folder);
  progress.enter(Activity::idle);
  if (!space || *space >= wanted) return fitted;
  fitted.size = ByteCount::bytes(space->bytes() / kBlock * kBlock);
  fitted.notes.push_back({.code = "less-space",
                          .severity = measure::Severity::info,
                          .text = "The free space less its reserve allowed " +
                                  std::to_string(fitted.size.bytes() / 1'000'000) + " MB only."});
  return fitted;
}

void run_together(std::size_t count, const std::function<void(std::size_t)>& fn) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&fn, i] { fn(i); });
  if (count > 0) fn(0);
}

}  // namespace nasdiag::filebench
