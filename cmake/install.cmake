# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Another program then says find_package(equinoise) and links equinoise::equinoise.
include(CMakePackageConfigHelpers)

install(TARGETS equinoise_cli RUNTIME DESTINATION bin)
install(TARGETS equinoise equinoise_engines EXPORT equinoise_targets ARCHIVE DESTINATION lib)
install(DIRECTORY equinoise DESTINATION include
  FILES_MATCHING PATTERN *.h PATTERN reproduction EXCLUDE)
install(FILES ${duckdb_directory}/libduckdb.so DESTINATION lib)
install(FILES ${duckdb_directory}/LICENSE DESTINATION share/equinoise/licenses RENAME duckdb.txt)
install(FILES LICENSE DESTINATION share/equinoise/licenses RENAME equinoise.txt)

# The manual page and what shells complete, as the tool describes itself whenever it is linked.
set(self_description ${CMAKE_BINARY_DIR}/share)
set(describe ${CMAKE_COMMAND} -E env --unset=EQUINOISE_SHARED $<TARGET_FILE:equinoise_cli>)
add_custom_command(TARGET equinoise_cli POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${self_description}/man/man1
    ${self_description}/bash-completion/completions ${self_description}/zsh/site-functions
    ${self_description}/fish/vendor_completions.d
  COMMAND ${describe} manual > ${self_description}/man/man1/equinoise.1
  COMMAND ${describe} completion bash > ${self_description}/bash-completion/completions/equinoise
  COMMAND ${describe} completion zsh > ${self_description}/zsh/site-functions/_equinoise
  COMMAND ${describe} completion fish > ${self_description}/fish/vendor_completions.d/equinoise.fish
  VERBATIM)
install(DIRECTORY ${self_description}/ DESTINATION share)

# equinoiseConfig.cmake expects to lie two folders below the libraries.
set(package_directory lib/cmake/equinoise)
install(EXPORT equinoise_targets NAMESPACE equinoise:: DESTINATION ${package_directory})
configure_file(cmake/equinoiseConfig.cmake.in package/equinoiseConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/equinoiseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/equinoiseConfig.cmake
  ${CMAKE_BINARY_DIR}/package/equinoiseConfigVersion.cmake DESTINATION ${package_directory})
