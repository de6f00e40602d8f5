#include "cifs_stats.hpp"
#include "mount_counters.hpp"
#include "mount_description.hpp"
#include "mountstats.hpp"
#include "process_times.hpp"

#include <cstdint>
#include <string_view>

// Any text in place of the kernel's files about mounts: no crash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fb = nasdiag::filebench;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const auto table = fb::parse_mount_table(text);
  const auto stats = fb::parse_mountstats(text);
  const auto servers = fb::parse_cifs_debug_data(text);
  for (const auto& entry : table) {
    fb::Mount mount = fb::describe_entry(entry, entry.mount_point);
    fb::add_shared(mount, table);
    fb::add_nfs_state(mount, stats);
    fb::add_cifs_state(mount, servers);
    fb::judge_options(mount);
    fb::entry_covering(table, entry.mount_point);
  }
  for (const auto& one : stats) fb::difference(one.counters, stats.front().counters);
  fb::parse_cifs_stats(text);
  fb::parse_process_stat(text, 100);
  return 0;
}
