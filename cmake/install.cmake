# `cmake --install`: the libraries and headers for find_package(firn), and examples and documents. The runner, its manual page
# and its completion are installed by cli/, the Houdini folder by plugin/houdini_package.cmake.
#   find_package(firn 0.2 REQUIRED)                    target_link_libraries(... firn::solver)
#   find_package(firn 0.2 REQUIRED COMPONENTS vdb)     target_link_libraries(... firn::vdb)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(FIRN_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/firn)

set(libraries firn_solver)
set_target_properties(firn_solver PROPERTIES EXPORT_NAME solver)
set(FIRN_WITH_CUDA OFF)
if(FIRN_NVCC)
    set(FIRN_WITH_CUDA ON)
endif()
if(TARGET firn_vdb)
    list(APPEND libraries firn_vdb)
    set_target_properties(firn_vdb PROPERTIES EXPORT_NAME vdb)
endif()
install(TARGETS ${libraries} EXPORT firn ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT firn NAMESPACE firn:: FILE firn-targets.cmake DESTINATION ${FIRN_CONFIG_FOLDER})
foreach(library ${libraries})
    string(REPLACE firn_ "" room ${library})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room}/include/firn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/firn-config.cmake.in ${PROJECT_BINARY_DIR}/firn-config.cmake
    INSTALL_DESTINATION ${FIRN_CONFIG_FOLDER})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/firn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/firn-config.cmake ${PROJECT_BINARY_DIR}/firn-config-version.cmake
    DESTINATION ${FIRN_CONFIG_FOLDER})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/firn)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
