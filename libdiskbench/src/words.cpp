#include <diskbench/words.hpp>

#include <initializer_list>

namespace nasdiag::diskbench {

namespace {

template <class Enum>
std::optional<Enum> one_of(std::initializer_list<Enum> all, std::string_view text) {
  for (const Enum value : all)
    if (text == to_string(value)) return value;
  return std::nullopt;
}

}  // namespace

std::optional<Pattern> pattern_from_text(std::string_view text) {
  using enum Pattern;
  return one_of({read, write, randread, randwrite, rw, randrw}, text);
}

std::optional<Direct> direct_from_text(std::string_view text) {
  using enum Direct;
  return one_of({automatic, on, off}, text);
}

std::optional<Sync> sync_from_text(std::string_view text) {
  using enum Sync;
  return one_of({none, dsync, sync}, text);
}

std::optional<EngineChoice> engine_choice_from_text(std::string_view text) {
  using enum EngineChoice;
  return one_of({automatic, io_uring, blocking, null}, text);
}

std::optional<Engine> engine_from_text(std::string_view text) {
  using enum Engine;
  return one_of({io_uring, blocking, null}, text);
}

std::optional<CachePath> cache_path_from_text(std::string_view text) {
  using enum CachePath;
  return one_of({direct, buffered}, text);
}

std::optional<StopReason> stop_reason_from_text(std::string_view text) {
  using enum StopReason;
  return one_of({runtime, precision, once, bytes, stopped, no_space, error, stuck}, text);
}

std::optional<DeviceKind> device_kind_from_text(std::string_view text) {
  using enum DeviceKind;
  return one_of({disk, partition, lvm, crypt, multipath, device_mapper, raid, bcache, loop, memory}, text);
}

}  // namespace nasdiag::diskbench
