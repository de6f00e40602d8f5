#pragma once

// The words for the enumerations, as they stand in saved reports and on the command line. Text that is none
// of them gives nothing.

#include <diskbench/block_device.hpp>
#include <diskbench/options.hpp>
#include <diskbench/result.hpp>

#include <optional>
#include <string_view>

namespace nasdiag::diskbench {

std::optional<Pattern> pattern_from_text(std::string_view text);
std::optional<Direct> direct_from_text(std::string_view text);
std::optional<Sync> sync_from_text(std::string_view text);
std::optional<EngineChoice> engine_choice_from_text(std::string_view text);
std::optional<Engine> engine_from_text(std::string_view text);
std::optional<CachePath> cache_path_from_text(std::string_view text);
std::optional<StopReason> stop_reason_from_text(std::string_view text);
std::optional<DeviceKind> device_kind_from_text(std::string_view text);

}  // namespace nasdiag::diskbench
