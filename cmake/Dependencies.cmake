# Everything comes as a Debian 12 package; scripts/install-packages names them.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json program_options)
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing>=2.3)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libmnl REQUIRED IMPORTED_TARGET libmnl)
