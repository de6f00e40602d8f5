# One target to link PRIVATE. Left out on purpose:
#   -Wnull-dereference             fires inside Asio when optimising
#   -Wmissing-field-initializers   of -Wextra: options are built by naming only what differs from the defaults
#   -Wrestrict                     of -Wall: false alarms of GCC 12 for std::string (GCC bug 105651)
add_library(nasdiag_warnings INTERFACE)
add_library(nasdiag::warnings ALIAS nasdiag_warnings)
target_compile_options(nasdiag_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(NASDIAG_WERROR)
  target_compile_options(nasdiag_warnings INTERFACE -Werror)
endif()
