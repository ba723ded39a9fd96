# `cmake --install`: the tools, and the package that find_package(tilec) finds. tilert installs its
# own targets into the same folder (runtime/CMakeLists.txt).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tilec)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tilec-config.cmake.in
  ${PROJECT_BINARY_DIR}/tilec-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilec-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilec-config.cmake
  ${PROJECT_BINARY_DIR}/tilec-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TileAddLibrary.cmake DESTINATION ${package})
if(TARGET tilec)
  # A development build uses the system's libMLIR and libLLVM, in a folder of their own.
  set_target_properties(tilec PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS tilec EXPORT tilec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT tilec NAMESPACE tilec:: FILE tilec-targets.cmake DESTINATION ${package})
endif()
