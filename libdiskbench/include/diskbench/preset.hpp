#pragma once

// Sets of workloads people know by name.

#include <diskbench/options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasdiag::diskbench {

enum class Preset {
  quick,     // sequential write and read, random read: about 10 s
  nas,       // what matters in a NAS: sequential, random read, durable small writes, mixed: about 30 s
  video,     // frames of 8 MiB one after the other, for the slowest second
  cdm,       // CrystalDiskMark 8, default profile
  cdm_nvme,  // CrystalDiskMark 8, NVMe profile
};

constexpr const char* to_string(Preset preset) {
  switch (preset) {
    case Preset::quick:
      return "quick";
    case Preset::nas:
      return "nas";
    case Preset::video:
      return "video";
    case Preset::cdm:
      return "cdm";
    case Preset::cdm_nvme:
      return "cdm-nvme";
  }
  return "quick";
}

std::optional<Preset> preset_from_text(std::string_view text);

// To be measured in this order on one TestFile; `file_size` bounds what any of them uses of it.
std::vector<DiskOptions> workloads(Preset preset,
                                   measure::ByteCount file_size = measure::ByteCount::gibibytes(1));

}  // namespace nasdiag::diskbench
