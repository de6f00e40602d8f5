#include <diagnose/facts/host.hpp>
#include <diagnose/facts/tcp_settings.hpp>
#include <diagnose/observe/model.hpp>
#include <diagnose/observe/parse.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace nasdiag;

namespace {

// The counters of two halves of the text, as if read a second apart.
void make_rates(std::string_view text) {
  observe::Sample before, after;
  after.at = observe::Seconds(1);
  const std::string_view halves[] = {text.substr(0, text.size() / 2), text.substr(text.size() / 2)};
  observe::Sample* samples[] = {&before, &after};
  for (int i = 0; i < 2; ++i) {
    samples[i]->cores = observe::parse_cpu_times(halves[i]);
    samples[i]->nics = observe::parse_net_dev(halves[i]);
    samples[i]->disks = observe::parse_diskstats(halves[i]);
    samples[i]->net = observe::parse_net_counters(halves[i]);
    samples[i]->memory = observe::parse_memory(halves[i]);
  }
  const auto seen = observe::rates_between(before, after);
  for (const auto& core : seen.cores) {
    if (!(core.user >= 0 && core.user <= 1)) std::abort();
  }
  for (const auto& disk : seen.disks) {
    if (!(disk.busy >= 0 && disk.busy <= 1)) std::abort();
  }
}

}  // namespace

// Any text in the place of a file of /proc: no crash, shares between 0 and 1.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  facts::parse_cpuinfo(text);
  facts::parse_cpu_list(text);
  facts::parse_meminfo(text);
  facts::parse_cgroup(text);
  facts::parse_pressure(text);
  facts::os_release_value(text, "NAME");
  facts::parse_buffer_limits(text);
  observe::parse_softnet(text);
  observe::parse_pressure_totals(text);
  observe::parse_dirty_threshold(text);
  observe::parse_quota(text);
  observe::parse_task(text);
  observe::parse_megahertz(text);
  observe::parse_tcp_info({data, size});
  make_rates(text);
  return 0;
}
