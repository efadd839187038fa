# SPDX-License-Identifier: Apache-2.0
# Compiler options shared by every target of this project; programs that use the installed library do not get them.
add_library(equinoise_options INTERFACE)
target_compile_options(equinoise_options INTERFACE
  -march=x86-64-v3 -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
# g++ 12 sees an overlap in every string concatenation.
target_compile_options(equinoise_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(EQUINOISE_DEVELOPER_MODE)
  target_compile_options(equinoise_options INTERFACE -Werror)
endif()
if(EQUINOISE_SANITIZE)
  # With sanitizers g++ 12 sees uninitialised values in std::function.
  target_compile_options(equinoise_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    -fsanitize=${EQUINOISE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(equinoise_options INTERFACE -fsanitize=${EQUINOISE_SANITIZE})
endif()
