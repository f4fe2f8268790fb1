# The DSO for the Houdini that cmake/houdini.cmake found, and the folder that artists get:
#   packages/firn.json                  the package file; picks the folder of the Houdini that runs
#   packages/firn/houdini/              what every version shares: help, icons, shelf, scripts (hda/CMakeLists.txt)
#   packages/firn/houdini20.5/dso/      one folder for each version that was built

firn_add_dso(firn_houdini Houdini firn_build_options)
# INSTDIR always: without it SideFX's function starts hython.
houdini_configure_target(firn_houdini INSTDIR ${CMAKE_CURRENT_BINARY_DIR}/dso)

install(TARGETS firn_houdini LIBRARY DESTINATION packages/firn/houdini${FIRN_HOUDINI_RELEASE}/dso COMPONENT firn)
if(EXISTS ${PROJECT_SOURCE_DIR}/hda/package/firn.json)
    install(FILES ${PROJECT_SOURCE_DIR}/hda/package/firn.json DESTINATION packages COMPONENT firn)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION packages/firn COMPONENT firn)

# `cmake --build BUILD --target dist`: the folder for this one version as a zip. scripts/houdini_builds.sh makes one for several.
set(dist_folder ${PROJECT_BINARY_DIR}/dist)
add_custom_target(dist
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dist_folder}
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${dist_folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${dist_folder}
        ${CMAKE_COMMAND} -E tar cf firn-${PROJECT_VERSION}-houdini${FIRN_HOUDINI_RELEASE}.zip --format=zip packages
    DEPENDS firn_houdini VERBATIM)
