#include <diskbench/preset.hpp>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;
using namespace std::chrono_literals;

constexpr ByteCount kSequential = ByteCount::mebibytes(1);
constexpr ByteCount kSmall = ByteCount::kibibytes(4);
constexpr ByteCount kFrame = ByteCount::mebibytes(8);  // an uncompressed frame of 1920 × 1080 × 32 bits

std::vector<DiskOptions> quick() {
  return {{.name = "sequential write", .pattern = Pattern::write, .block_size = kSequential, .runtime = 4s},
          {.name = "sequential read", .pattern = Pattern::read, .block_size = kSequential, .runtime = 3s},
          {.name = "random read",
           .pattern = Pattern::randread,
           .block_size = kSmall,
           .io_depth = 32,
           .runtime = 3s}};
}

// A little longer than the precision needs: what a NAS does is seldom even.
std::vector<DiskOptions> nas() {
  return {{.name = "sequential write", .pattern = Pattern::write, .block_size = kSequential, .runtime = 8s},
          {.name = "sequential read", .pattern = Pattern::read, .block_size = kSequential, .runtime = 6s},
          {.name = "random read",
           .pattern = Pattern::randread,
           .block_size = kSmall,
           .io_depth = 32,
           .runtime = 5s},
          {.name = "durable small write",
           .pattern = Pattern::randwrite,
           .block_size = kSmall,
           .io_depth = 1,
           .runtime = 5s,
           .sync = Sync::dsync},
          {.name = "mixed 70/30",
           .pattern = Pattern::randrw,
           .block_size = kSmall,
           .io_depth = 32,
           .read_percent = 70,
           .runtime = 5s}};
}

std::vector<DiskOptions> video() {
  std::vector<DiskOptions> list{{.name = "record frames", .pattern = Pattern::write, .io_depth = 2},
                                {.name = "play frames", .pattern = Pattern::read, .io_depth = 2}};
  for (DiskOptions& options : list) {
    options.block_size = kFrame;
    options.runtime = 10s;
    options.precision.reset();  // the slowest second needs all of them
  }
  return list;
}

struct CdmTest {
  const char* name;
  bool random;
  ByteCount block;
  unsigned depth;
  unsigned jobs;
};

DiskOptions cdm_workload(const CdmTest& test, bool write) {
  DiskOptions options;
  options.name = test.name;
  if (write)
    options.pattern = test.random ? Pattern::randwrite : Pattern::write;
  else
    options.pattern = test.random ? Pattern::randread : Pattern::read;
  options.block_size = test.block;
  options.io_depth = test.depth;
  options.jobs = test.jobs;
  options.runtime = 5s;
  options.precision.reset();  // CrystalDiskMark's five seconds
  return options;
}

// All reads, then all writes.
std::vector<DiskOptions> cdm(const std::vector<CdmTest>& tests) {
  std::vector<DiskOptions> list;
  for (const bool write : {false, true})
    for (const CdmTest& test : tests) list.push_back(cdm_workload(test, write));
  return list;
}

std::vector<DiskOptions> list_of(Preset preset) {
  switch (preset) {
    case Preset::quick:
      return quick();
    case Preset::nas:
      return nas();
    case Preset::video:
      return video();
    case Preset::cdm:
      return cdm({{"SEQ1M Q8T1", false, kSequential, 8, 1},
                  {"SEQ1M Q1T1", false, kSequential, 1, 1},
                  {"RND4K Q32T1", true, kSmall, 32, 1},
                  {"RND4K Q1T1", true, kSmall, 1, 1}});
    case Preset::cdm_nvme:
      return cdm({{"SEQ1M Q8T1", false, kSequential, 8, 1},
                  {"SEQ128K Q32T1", false, ByteCount::kibibytes(128), 32, 1},
                  {"RND4K Q32T16", true, kSmall, 32, 16},
                  {"RND4K Q1T1", true, kSmall, 1, 1}});
  }
  return {};
}

}  // namespace

std::optional<Preset> preset_from_text(std::string_view text) {
  for (const Preset preset : {Preset::quick, Preset::nas, Preset::video, Preset::cdm, Preset::cdm_nvme})
    if (text == to_string(preset)) return preset;
  return std::nullopt;
}

std::vector<DiskOptions> workloads(Preset preset, ByteCount file_size) {
  std::vector<DiskOptions> list = list_of(preset);
  for (DiskOptions& options : list) options.size = ByteCount::bytes(file_size.bytes() / options.jobs);
  return list;
}

}  // namespace nasdiag::diskbench
