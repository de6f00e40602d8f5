#include "result_notes.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace nasdiag::diskbench {

namespace {

using measure::ByteCount;
using measure::Note;
using measure::Notes;
using measure::Severity;

constexpr double kMuchResident = 0.05;
constexpr double kMuchSmaller = 0.9;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

bool is_memory(const std::string& file_system) { return file_system == "tmpfs" || file_system == "ramfs"; }

bool is_served(const std::string& file_system) {
  return file_system.starts_with("fuse") || file_system.starts_with("nfs") || file_system == "cifs" ||
         file_system == "smb3" || file_system == "9p" || file_system == "virtiofs";
}

// Caches that can't be emptied from here are overcome only by more data than they hold.
bool outgrows(const DiskResult& result, ByteCount memory) { return result.apparent_size >= memory * 2; }

std::string larger_size_text(ByteCount memory) {
  return " Only a file of twice the memory shows the disk itself: --size " +
         std::to_string(memory.bytes() * 2 / ByteCount::gibibytes(1).bytes() + 1) + "G.";
}

void note_where_data_lies(const DiskResult& result, ByteCount memory, Notes& notes) {
  const std::string& type = result.storage.file_system;
  if (is_memory(type))
    notes.push_back(
        {"memory-file-system", Severity::warning,
         "This folder lies in memory (" + type + "): the figures are those of memory, not of a disk."});
  else if (result.read && outgrows(result, memory))
    return;
  else if (is_served(type))
    notes.push_back({"served-file-system", Severity::warning,
                     "This folder is served by another program or machine (" + type +
                         "), whose memory may answer in place of its disk." + larger_size_text(memory)});
  else if (type == "zfs")
    notes.push_back(
        {"zfs-cache", Severity::warning,
         "ZFS keeps a cache of its own, which can't be emptied from here." + larger_size_text(memory)});
}

void note_residency(const DiskResult& result, Notes& notes) {
  if (!result.read || !result.resident_share || *result.resident_share < kMuchResident) return;
  if (is_memory(result.storage.file_system)) return;
  notes.push_back(
      {"read-from-cache", Severity::void_,
       percent(*result.resident_share) +
           " of the file was in the page cache and could not be dropped: this isn't the disk's rate."});
}

void note_allocation(const DiskResult& result, Notes& notes) {
  if (!result.allocated_size || result.apparent_size.bytes() == 0) return;
  const double share = *result.allocated_size / result.apparent_size;
  if (share >= kMuchSmaller) return;
  notes.push_back(
      {"not-all-allocated", Severity::warning,
       "The file system keeps only " + percent(share) +
           " of the random test data on disk (compression, deduplication or late allocation): the disk "
           "did less than the figures say."});
}

void note_changes(const DirectionResult& direction, bool is_write, Notes& notes) {
  for (const measure::ChangePoint& change : direction.change_points) {
    const bool slower = change.after < change.before;
    const std::string what = std::string(is_write ? "Writing" : "Reading") + (slower ? " fell" : " rose") +
                             " from " + megabytes_text(change.before) + " to " +
                             megabytes_text(change.after) + " after " + to_text(change.moved_before);
    if (is_write && slower)
      notes.push_back({"write-cache-exhausted", Severity::warning,
                       what + ": a write cache (of an SSD, an array or the host) was used up."});
    else
      notes.push_back({"rate-changed", Severity::warning, what + "."});
  }
  if (direction.trend && direction.trend->significant() && direction.change_points.empty())
    notes.push_back({"rate-drifts", Severity::warning,
                     std::string(is_write ? "Writing" : "Reading") + " changed by " +
                         percent(direction.trend->relative_change) +
                         " over the run: heat, another user of the disk, or its position on the platter."});
}

std::string error_text(const DiskResult& result) {
  const DeviceError& first = result.errors.front();
  return std::to_string(result.error_count) + (result.error_count == 1 ? " request" : " requests") +
         " failed, the first one " + (first.direction == measure::Direction::read ? "reading" : "writing") +
         " at byte " + std::to_string(first.offset.bytes()) +
         " of the test file: " + std::strerror(first.error) + ".";
}

void note_errors(const DiskResult& result, Notes& notes) {
  if (result.errors.empty()) return;
  if (result.stop_reason == StopReason::no_space) {
    notes.push_back(
        {"no-space", Severity::warning,
         "The file system became full, or its quota was used up; the figures are those until then."});
    return;
  }
  notes.push_back({"device-errors", Severity::warning,
                   error_text(result) + " Look at the kernel's log and the disk's SMART data."});
}

void note_stop(const DiskResult& result, Notes& notes) {
  if (result.stop_reason != StopReason::stuck) return;
  notes.push_back({"disk-stuck", Severity::void_,
                   "No request came back for " +
                       measure::duration_text(measure::Seconds(result.options.stuck_after)) +
                       ": the disk hangs. The test file may still be in " +
                       result.storage.mount_point.string() + "; the next run removes it."});
}

}  // namespace

std::optional<Note> note_about_others(const std::string& device, const DeviceActivity& before,
                                      const DeviceActivity& after, measure::Seconds between) {
  constexpr double kBusy = 0.1;
  constexpr auto kMuch = measure::DataRate::megabytes_per_second(1);
  const measure::DataRate rate = (after.read - before.read + after.written - before.written) / between;
  const double busy = (after.busy - before.busy) / between;
  if (busy < kBusy || rate < kMuch) return std::nullopt;
  return Note{"disk-busy", Severity::warning,
              "Something else was using " + device + " before the measurement began (" +
                  megabytes_text(rate) + ", busy " + percent(std::min(busy, 1.0)) +
                  " of the time): the figures are what was left."};
}

Notes notes_of(const DiskResult& result, ByteCount memory) {
  Notes notes = notes_about(result.storage);
  if (result.engine != Engine::null) {
    note_where_data_lies(result, memory, notes);
    note_residency(result, notes);
    note_allocation(result, notes);
  }
  if (result.write) note_changes(*result.write, true, notes);
  if (result.read) note_changes(*result.read, false, notes);
  note_errors(result, notes);
  note_stop(result, notes);
  return notes;
}

}  // namespace nasdiag::diskbench
