# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Another program then says find_package(equinoise) and links equinoise::equinoise.
include(CMakePackageConfigHelpers)

install(TARGETS equinoise_cli RUNTIME DESTINATION bin)
install(TARGETS equinoise EXPORT equinoise_targets ARCHIVE DESTINATION lib)
install(DIRECTORY equinoise DESTINATION include
  FILES_MATCHING PATTERN *.h PATTERN reproduction EXCLUDE)
install(FILES ${duckdb_directory}/libduckdb.so DESTINATION lib)
install(FILES ${duckdb_directory}/LICENSE DESTINATION share/equinoise/licenses RENAME duckdb.txt)
install(FILES LICENSE DESTINATION share/equinoise/licenses RENAME equinoise.txt)

# equinoiseConfig.cmake expects to lie two folders below the libraries.
set(package_directory lib/cmake/equinoise)
install(EXPORT equinoise_targets NAMESPACE equinoise:: DESTINATION ${package_directory})
configure_file(cmake/equinoiseConfig.cmake.in package/equinoiseConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/equinoiseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/equinoiseConfig.cmake
  ${CMAKE_BINARY_DIR}/package/equinoiseConfigVersion.cmake DESTINATION ${package_directory})
