# Everything comes as a Debian 12 package; scripts/install-packages names them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json program_options)
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing>=2.3)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
# The library's own choice of SSE2, AVX2 or AVX-512 at run time: where its header is there and the calls are exported.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::libxxhash)
check_symbol_exists(XXH3_128bits_update_dispatch xxh_x86dispatch.h NASDIAG_XXHASH_DISPATCHES)
unset(CMAKE_REQUIRED_LIBRARIES)
pkg_check_modules(libmnl REQUIRED IMPORTED_TARGET libmnl)
