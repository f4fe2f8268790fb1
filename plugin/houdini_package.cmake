# The DSO for the Houdini that cmake/houdini.cmake found, and the folder that artists get:
#   packages/firn.json                  the package file; picks the folder of the Houdini that runs
#   packages/firn/houdini/              what every version shares: help, icons, shelf, scripts (hda/CMakeLists.txt)
#   packages/firn/hdk20050405/dso/      one folder for each version of the HDK's interface that was built for

find_program(FIRN_PYTHON python3 REQUIRED)
firn_add_dso(firn_houdini Houdini firn_build_options)
# INSTDIR always: without it SideFX's function starts hython.
houdini_configure_target(firn_houdini INSTDIR ${CMAKE_CURRENT_BINARY_DIR}/dso)

install(TARGETS firn_houdini LIBRARY DESTINATION packages/firn/hdk${FIRN_HDK_API}/dso COMPONENT firn)
# For all plugins that the folder has by now, this one and those of other builds.
install(CODE "execute_process(COMMAND \"${FIRN_PYTHON}\" -B \"${PROJECT_SOURCE_DIR}/hda/package/make_package.py\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/packages\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT firn)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION packages/firn COMPONENT firn)

# `cmake --build BUILD --target dist`: the folder for this one version as a zip. scripts/houdini_builds.sh makes one for several.
set(dist_folder ${PROJECT_BINARY_DIR}/dist)
add_custom_target(dist
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dist_folder}
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${dist_folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${dist_folder}
        ${CMAKE_COMMAND} -E tar cf firn-${PROJECT_VERSION}-hdk${FIRN_HDK_API}.zip --format=zip packages
    DEPENDS firn_houdini VERBATIM)
