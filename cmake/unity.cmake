# SPDX-License-Identifier: Apache-2.0
# Unity builds: the sources of a room (equinoise/report and the folders in it, tests/report) are compiled together, so that
# their headers are read and their templates made once; headers of other projects are compiled before.
# Whoever works on one source builds it alone, with what it includes itself, with -DEQUINOISE_UNITY=OFF.
#
# What sources define for themselves must have a name of its own in the room. These names may stand in every source:
set(names_of_each_source Own kWhere kNaN kInfinity kRelativeError kSection kSlack kVersion refuse)

# What nearly every room includes.
set(compiled_headers <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> <algorithm> <array> <cmath> <filesystem> <functional>
  <limits> <map> <memory> <optional> <random> <set> <span> <string> <string_view> <variant> <vector>)

# Source code that is compiled at once: as much as two compilers hold in 4 GB of memory.
set(bytes_of_unit 220000)

# compile_rooms_together(TARGET [HEADER...]): HEADER is compiled before, too. A source with compile options of its own is
# compiled alone, without compiled headers.
function(compile_rooms_together target)
  if(NOT EQUINOISE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${path})
    cmake_path(GET room PARENT_PATH room)
    string(REGEX MATCH "^[^/]+(/[^/]+)?" room "${room}")
    string(MAKE_C_IDENTIFIER "${room}" room)
    set(size 1)
    if(EXISTS ${path})
      file(SIZE ${path} size)
    endif()
    math(EXPR size_${room} "0${size_${room}} + ${size}")
    math(EXPR part "(${size_${room}} - 1) / ${bytes_of_unit}")
    get_source_file_property(own_options ${source} COMPILE_OPTIONS)
    if(own_options)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    else()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${part})
      list(APPEND units ${room}_${part})
    endif()
  endforeach()

  # g++ would collect its garbage often; a tenth of its time.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=800000>")

  set(before "#define EQUINOISE_JOIN_(a, b) a##b\n#define EQUINOISE_JOIN(a, b) EQUINOISE_JOIN_(a, b)\n")
  set(after "")
  foreach(name ${names_of_each_source})
    string(APPEND before "#define ${name} EQUINOISE_JOIN(${name}_, EQUINOISE_SOURCE)\n")
    string(APPEND after "#undef ${name}\n")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_UNIQUE_ID EQUINOISE_SOURCE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "${before}" UNITY_BUILD_CODE_AFTER_INCLUDE "${after}")
  # g++ takes every type in an anonymous namespace for one of a header, here where all sources are included.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

  # Headers compiled before cost 5 s and spare each unit 1.5 s.
  list(REMOVE_DUPLICATES units)
  list(LENGTH units num_units)
  if(num_units LESS 4)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${compiled_headers} ${ARGN})
  # ccache needs it to know what a compiled header holds.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # With compiled headers g++ takes the standard library's own code for ours and warns of what is none of it; sources that
  # are compiled alone (tools/check.sh) have these warnings.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
endfunction()
