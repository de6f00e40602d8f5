#pragma once

// What this library throws: std::system_error, with a context that says what was tried on which folder.
// The code is the system's (errno) or one of these.

#include <string>
#include <system_error>

namespace nasdiag::filebench {

enum class Errc {
  worker_not_started = 1,  // the program can't act as its own worker (see worker.hpp)
  mount_silent,            // the mount did not answer within the time limit
  not_a_directory,
  too_little_space,  // free space less the reserve doesn't hold a useful file
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

// What was tried, what happened and, where there is something, what to do about it.
std::string sentence_of(const std::system_error& error);

}  // namespace nasdiag::filebench

template <>
struct std::is_error_code_enum<nasdiag::filebench::Errc> : std::true_type {};
