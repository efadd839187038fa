# SPDX-License-Identifier: Apache-2.0
# Everything here is installed by tools/setup.sh.
find_package(Eigen3 3.4 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(JPEG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
if(EQUINOISE_USE_TBB)
  find_package(TBB REQUIRED)
endif()

set(duckdb_directory ${CMAKE_SOURCE_DIR}/third_party/duckdb)
if(NOT EXISTS ${duckdb_directory}/libduckdb.so)
  message(FATAL_ERROR "DuckDB is missing: run tools/setup.sh first")
endif()
add_library(equinoise::duckdb SHARED IMPORTED GLOBAL)
set_target_properties(equinoise::duckdb PROPERTIES
  IMPORTED_LOCATION ${duckdb_directory}/libduckdb.so
  INTERFACE_INCLUDE_DIRECTORIES ${duckdb_directory})
