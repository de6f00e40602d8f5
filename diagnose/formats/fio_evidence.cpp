#include "diagnose/formats/fio_evidence.hpp"

#include <diagnose/formats/pasted_words.hpp>
#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nasdiag::formats {

namespace {

using diskbench::DiskResult;
using evidence::Evidence;
using evidence::ExperimentKind;
using measure::Direction;
using measure::Severity;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <std::size_t N>
bool contains_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

void add_up(const std::optional<diskbench::DirectionResult>& from,
            std::optional<diskbench::DirectionResult>& to) {
  if (!from) return;
  if (!to) {
    to = from;
    return;
  }
  to->throughput = to->throughput + from->throughput;
  to->burst = to->burst + from->burst;
  to->bytes = to->bytes + from->bytes;
  to->operations += from->operations;
}

std::vector<DiskResult> by_name(const std::vector<DiskResult>& results) {
  std::vector<DiskResult> sums;
  for (const DiskResult& result : results) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const DiskResult& sum) {
      return sum.options.name == result.options.name;
    });
    if (same == sums.end()) {
      sums.push_back(result);
    } else {
      add_up(result.read, same->read);
      add_up(result.write, same->write);
    }
  }
  return sums;
}

struct Machine {
  Place place;
  bool guessed;
};

Machine machine_of(const DiskResult& result, const FioSource& source) {
  if (source.ran_on_nas) return {Place::nas, false};
  const std::string file = lower(source.name);
  if (contains_any(file, std::array<std::string_view, 2>{"nas", "server"})) return {Place::nas, true};
  if (contains_any(file, std::array<std::string_view, 2>{"client", "local"})) return {Place::client, true};
  return {place_of(result.storage.mount_point.string()), true};
}

const char* words_for(Place place) {
  switch (place) {
    case Place::nas:
      return "the NAS's disk (if it is this computer's, say so in the file's name: client.json)";
    case Place::share:
      return "the mounted share";
    case Place::client:
      return "this computer's disk (if it ran on the NAS, give the file with --nas)";
  }
  return "";
}

filebench::TransferResult transfer_of(const DiskResult& result, Direction direction) {
  const auto& way = direction == Direction::write ? result.write : result.read;
  filebench::TransferResult transfer;
  transfer.kind = direction == Direction::write ? filebench::TransferKind::write_from_memory
                                                : filebench::TransferKind::read_user_file;
  transfer.direction = direction;
  transfer.outcome = filebench::Outcome::ok;
  transfer.amount = way->bytes;
  transfer.window = result.window;
  transfer.rate = way->throughput;
  transfer.piece_size = result.options.block_size;
  return transfer;
}

// The job's direction: writing to the NAS writes its disk and reads the client's.
Direction job_direction(Place place, Direction disk) {
  if (place != Place::client) return disk;
  return disk == Direction::write ? Direction::read : Direction::write;
}

ExperimentKind kind_of(Place place) {
  if (place == Place::nas) return ExperimentKind::nas_disk;
  return place == Place::share ? ExperimentKind::mount_to_memory : ExperimentKind::client_disk;
}

void add_way(const DiskResult& result, Direction disk, Place place, const FioSource& source,
             Evidence& evidence) {
  const auto& way = disk == Direction::write ? result.write : result.read;
  if (!way) return;
  const ExperimentKind kind = kind_of(place);
  const Direction direction = job_direction(place, disk);
  if (evidence.find(kind, direction) != nullptr) {
    evidence.notes.push_back({"second-figure", Severity::warning,
                              source.name + ", job " + result.options.name +
                                  ", was left out: there is a figure of its kind already."});
    return;
  }
  evidence::Experiment experiment{.kind = kind,
                                  .direction = direction,
                                  .outcome = evidence::Outcome::ok,
                                  .origin = "fio, " + source.name};
  experiment.took = result.window;
  if (place == Place::share)
    experiment.result = transfer_of(result, disk);
  else
    experiment.result = result;
  evidence.experiments.push_back(std::move(experiment));
}

}  // namespace

Place place_of(const std::string& folder) {
  constexpr std::array<std::string_view, 12> kPools{"/volume", "pool",   "tank",      "zfs",
                                                    "raid",    "/md",    "/share/",   "/mnt/user",
                                                    "/srv",    "export", "/mnt/disk", "vdev"};
  constexpr std::array<std::string_view, 5> kShares{"nas", "nfs", "smb", "cifs", "gvfs"};
  const std::string name = lower(folder);
  if (contains_any(name, kShares)) return Place::share;
  if (contains_any(name, kPools)) return Place::nas;
  return looks_like_a_share(name) ? Place::share : Place::client;
}

void add_fio_results(const std::vector<DiskResult>& results, const FioSource& source, Evidence& evidence) {
  for (const DiskResult& result : by_name(results)) {
    const Machine machine = machine_of(result, source);
    if (machine.guessed)
      evidence.notes.push_back({"machine-guessed", Severity::warning,
                                source.name + ", job " + result.options.name + ", was taken for " +
                                    words_for(machine.place) + "."});
    for (const Direction disk : {Direction::write, Direction::read})
      add_way(result, disk, machine.place, source, evidence);
  }
}

}  // namespace nasdiag::formats
