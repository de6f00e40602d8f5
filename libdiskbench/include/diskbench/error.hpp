#pragma once

// What measure_disk throws beyond the system's own error codes, always as std::system_error.

#include <system_error>

namespace nasdiag::diskbench {

enum class Errc {
  bad_options = 1,     // sizes, depths or percentages that make no sense; the text says which
  too_much_memory,     // io_depth × jobs × block_size is more than a run may take
  direct_unsupported,  // Direct::on where the file system refuses it
  engine_unavailable,  // the engine asked for doesn't work here
  disk_stuck           // the disk hung before anything was measured
};

const std::error_category& error_category();
inline std::error_code make_error_code(Errc code) { return {static_cast<int>(code), error_category()}; }

}  // namespace nasdiag::diskbench

template <>
struct std::is_error_code_enum<nasdiag::diskbench::Errc> : std::true_type {};
