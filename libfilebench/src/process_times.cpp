#include "process_times.hpp"

#include "text.hpp"

#include <unistd.h>

#include <system_error>

namespace nasdiag::filebench {

std::optional<ProcessTimes> parse_process_stat(std::string_view text, long ticks_per_second) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto fields = words_of(text.substr(close + 1));
  constexpr std::size_t kUser = 11;  // field 14 of the file; the state, field 3, is the first here
  constexpr std::size_t kSystem = 12;
  constexpr std::size_t kStart = 19;
  if (fields.size() <= kStart || ticks_per_second <= 0) return std::nullopt;
  const auto ticks = number(fields[kUser]).value_or(0) + number(fields[kSystem]).value_or(0);
  return ProcessTimes{.name = std::string(text.substr(open + 1, close - open - 1)),
                      .start_time = static_cast<std::uint64_t>(number(fields[kStart]).value_or(0)),
                      .cpu = Seconds(static_cast<double>(ticks) / static_cast<double>(ticks_per_second)),
                      .threads = {}};
}

std::optional<ProcessTimes> read_process_times(const std::filesystem::path& root, int pid) {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  const std::filesystem::path folder = root / "proc" / std::to_string(pid);
  auto times = parse_process_stat(read_text(folder / "stat"), ticks);
  if (!times) return std::nullopt;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder / "task", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto thread = parse_process_stat(read_text(entry->path() / "stat"), ticks);
    const auto id = number(entry->path().filename().string());
    if (thread && id) times->threads[static_cast<int>(*id)] = thread->cpu;
  }
  return times;
}

}  // namespace nasdiag::filebench
