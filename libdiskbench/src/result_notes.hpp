#pragma once

// What a reader of the result has to know: pure functions of it.

#include <diskbench/result.hpp>

#include <optional>
#include <string>

namespace nasdiag::diskbench {

// `memory` is that of this machine: what a cache can hold.
measure::Notes notes_of(const DiskResult& result, measure::ByteCount memory);

// Nothing for an idle device: under a tenth of the time busy, or hardly anything moved.
std::optional<measure::Note> note_about_others(const std::string& device, const DeviceActivity& before,
                                               const DeviceActivity& after, measure::Seconds between);

}  // namespace nasdiag::diskbench
