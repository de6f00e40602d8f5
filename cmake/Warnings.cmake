# One target to link PRIVATE. -Wnull-dereference stays out: it fires inside Asio when optimising.
add_library(nasdiag_warnings INTERFACE)
add_library(nasdiag::warnings ALIAS nasdiag_warnings)
target_compile_options(nasdiag_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual)
if(NASDIAG_WERROR)
  target_compile_options(nasdiag_warnings INTERFACE -Werror)
endif()
