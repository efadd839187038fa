# SPDX-License-Identifier: Apache-2.0
# Unity builds: the sources of a folder are compiled together, so that their headers are read and their templates made once;
# headers of other projects are compiled before.
# Whoever works on one source builds it alone, with what it includes itself, with -DEQUINOISE_UNITY=OFF.
#
# What sources define for themselves must have a name of its own in the folder. These names may stand in every source:
set(names_of_each_source kWhere kNaN kInfinity kRelativeError refuse)

# What nearly every folder includes.
set(compiled_headers <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> <algorithm> <array> <cmath> <filesystem> <functional>
  <limits> <map> <memory> <optional> <random> <set> <span> <string> <string_view> <variant> <vector>)

# compile_folders_together(TARGET [LIMIT]): at most LIMIT sources at once. A source with compile options of its own is
# compiled alone, without compiled headers.
function(compile_folders_together target)
  if(NOT EQUINOISE_UNITY)
    return()
  endif()
  set(limit 1000)
  if(ARGC GREATER 1)
    set(limit ${ARGV1})
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    math(EXPR part "(${count_${folder}} - 1) / ${limit}")
    get_source_file_property(own_options ${source} COMPILE_OPTIONS)
    if(own_options)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    else()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
    endif()
  endforeach()

  set(before "#define EQUINOISE_JOIN_(a, b) a##b\n#define EQUINOISE_JOIN(a, b) EQUINOISE_JOIN_(a, b)\n")
  set(after "")
  foreach(name ${names_of_each_source})
    string(APPEND before "#define ${name} EQUINOISE_JOIN(${name}_, EQUINOISE_SOURCE)\n")
    string(APPEND after "#undef ${name}\n")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_UNIQUE_ID EQUINOISE_SOURCE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "${before}" UNITY_BUILD_CODE_AFTER_INCLUDE "${after}")
  target_precompile_headers(${target} PRIVATE ${compiled_headers})
  # ccache needs it to know what a compiled header holds.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # With compiled headers g++ takes the standard library's own code for ours and warns of what is none of it; sources that
  # are compiled alone (tools/check.sh) have these warnings.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
  # g++ takes every type in an anonymous namespace for one of a header, here where all sources are included.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
