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

# Charts of pages: a bundle that Node.js has esbuild make of what is in third_party/node_modules.
find_program(NODE node)
if(NOT NODE)
  message(FATAL_ERROR "Node.js is missing: run tools/setup.sh first")
endif()
execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^v" "" node_version "${node_version}")
if(node_version VERSION_LESS 18)
  message(FATAL_ERROR "Node.js must be 18 or newer, and ${NODE} is '${node_version}': put a newer one on the PATH, or none and "
    "run tools/setup.sh, and configure again with -U NODE")
endif()
set(node_modules ${CMAKE_SOURCE_DIR}/third_party/node_modules)
foreach(file @esbuild/linux-x64/bin/esbuild @observablehq/plot/package.json .package-lock.json)
  if(NOT EXISTS ${node_modules}/${file})
    message(FATAL_ERROR "third_party/node_modules/${file} is missing: run tools/setup.sh first")
  endif()
endforeach()
