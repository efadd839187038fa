# SPDX-License-Identifier: Apache-2.0
# Everything here is installed by tools/setup.sh. What is missing is said at once.
set(duckdb_directory ${CMAKE_SOURCE_DIR}/third_party/duckdb)
set(node_modules ${CMAKE_SOURCE_DIR}/third_party/node_modules)
set(packages Eigen3 Boost CLI11 fmt nlohmann_json OpenSSL JPEG SQLite3 ZLIB zstd)
if(EQUINOISE_USE_TBB)
  list(APPEND packages TBB)
endif()
set(version_of_Eigen3 3.4)
set(version_of_Boost 1.74)
set(missing "")
foreach(package ${packages})
  find_package(${package} ${version_of_${package}} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND missing ${package})
  endif()
endforeach()
find_path(TOMLPLUSPLUS toml++/toml.h)
find_program(NODE node)
if(NOT TOMLPLUSPLUS)
  list(APPEND missing toml++)
endif()
if(NOT NODE)
  list(APPEND missing Node.js)
endif()
foreach(file duckdb/libduckdb.so node_modules/@esbuild/linux-x64/bin/esbuild node_modules/@observablehq/plot/package.json
    node_modules/.package-lock.json)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/third_party/${file})
    list(APPEND missing third_party/${file})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "There is missing: ${missing}. ${how_to_install}")
endif()

add_library(equinoise::duckdb SHARED IMPORTED GLOBAL)
set_target_properties(equinoise::duckdb PROPERTIES
  IMPORTED_LOCATION ${duckdb_directory}/libduckdb.so
  INTERFACE_INCLUDE_DIRECTORIES ${duckdb_directory})

# Charts of pages: a bundle that Node.js has esbuild make of what is in third_party/node_modules.
execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^v" "" node_version "${node_version}")
if(node_version VERSION_LESS 18)
  message(FATAL_ERROR "Node.js must be 18 or newer, and ${NODE} is '${node_version}': put a newer one on the PATH, or none and "
    "run tools/setup.sh, and configure again with -U NODE")
endif()
