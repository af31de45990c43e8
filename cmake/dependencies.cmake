# Every third-party library, found once. Debian 12 packages; tools/quickstart installs them.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(RocksDB REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(CLI11 REQUIRED)

# Debian's libcaf-dev ships neither a CMake package nor a pkg-config file.
find_path(CAF_INCLUDE_DIR caf/all.hpp REQUIRED)
file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_version REGEX "^#define CAF_VERSION 17[0-9][0-9]$")
if(NOT caf_version)
  message(FATAL_ERROR "CAF 0.17 is required: apt-get install libcaf-dev")
endif()
find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
add_library(CAF::core INTERFACE IMPORTED)
target_include_directories(CAF::core SYSTEM INTERFACE "${CAF_INCLUDE_DIR}")
target_link_libraries(CAF::core INTERFACE "${CAF_CORE_LIBRARY}" Threads::Threads)

# Header-only, or a plain library without a CMake package.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
find_library(SECCOMP_LIBRARY seccomp REQUIRED)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)

if(KEVOLVE_TESTS)
  find_package(doctest REQUIRED)
endif()
