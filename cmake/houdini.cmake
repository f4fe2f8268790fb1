# Finds a Houdini to build the plugin for, and makes its TBB and OpenVDB those of the whole build: engine, volumes and nodes
# end in one DSO, which must not bring a second copy of either into Houdini's process.
#
#   FIRN_HOUDINI    OFF, or ON: build for the Houdini in HFS, and nothing else (no runner, no tests)
#   HFS             its folder; the environment's $HFS if not given
#
# Compiling needs no licence: nothing of Houdini is run. SideFX's houdini_get_default_install_dir() would start hython, and
# houdini_configure_target() calls it unless it is given INSTDIR.
# Sets FIRN_HOUDINI_RELEASE ("20.5") and FIRN_HDK_API (20050405); TBB::tbb, OpenVDB::openvdb and Houdini are its targets.

option(FIRN_HOUDINI "Build the plugin for the Houdini in HFS, and nothing else" OFF)
if(NOT FIRN_HOUDINI)
    return()
endif()

set(HFS "$ENV{HFS}" CACHE PATH "Houdini's folder, such as /opt/hfs20.5.487")
if(NOT HFS OR NOT IS_DIRECTORY "${HFS}")
    message(FATAL_ERROR "FIRN_HOUDINI is ON, but HFS ('${HFS}') is no folder. Give -DHFS=/opt/hfs20.5.487, or source "
        "houdini_setup first")
endif()
# Never from the cache of another Houdini.
unset(Houdini_DIR CACHE)
find_package(Houdini CONFIG QUIET NO_DEFAULT_PATH PATHS "${HFS}" PATH_SUFFIXES toolkit/cmake)
if(NOT Houdini_FOUND)
    message(FATAL_ERROR "${HFS}/toolkit/cmake has no HoudiniConfig.cmake. Is this Houdini's folder, with the development kit "
        "installed?")
endif()
if(Houdini_VERSION VERSION_LESS 20.0)
    message(FATAL_ERROR "${HFS} is Houdini ${Houdini_VERSION}; Firn needs 20.0 or newer")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" FIRN_HOUDINI_RELEASE "${Houdini_VERSION}")
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "The plugin is built on Linux; docs/houdini_build.md lists what ${CMAKE_SYSTEM_NAME} would need")
endif()

# Which plugins a Houdini runs: the number changes between releases, and now and then within one.
set(FIRN_HDK_API "")
set(hdk_version_header "${HFS}/toolkit/include/UT/UT_HDKVersion.h")
if(EXISTS "${hdk_version_header}")
    file(STRINGS "${hdk_version_header}" hdk_api REGEX "#[ \t]*define[ \t]+HDK_API_VERSION[ \t]+[0-9]+")
    if("${hdk_api}" MATCHES "HDK_API_VERSION[ \t]+([0-9]+)")
        set(FIRN_HDK_API ${CMAKE_MATCH_1})
    endif()
endif()
if(NOT FIRN_HDK_API MATCHES "^[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]$")
    message(FATAL_ERROR "${hdk_version_header} has no HDK_API_VERSION of eight digits, by which the plugin's folder is named")
endif()

# Which string ABI of libstdc++ this Houdini was built with: all of the DSO has to agree. Said as an option in some versions,
# as a definition in others, and not at all where it is the compiler's own.
get_target_property(houdini_options Houdini INTERFACE_COMPILE_OPTIONS)
get_target_property(houdini_definitions Houdini INTERFACE_COMPILE_DEFINITIONS)
if("${houdini_options};${houdini_definitions}" MATCHES "_GLIBCXX_USE_CXX11_ABI=([01])")
    add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=${CMAKE_MATCH_1})
    set(houdini_abi ", _GLIBCXX_USE_CXX11_ABI=${CMAKE_MATCH_1}")
endif()

# A library of Houdini's by the name that this version has for it: a target of its own (20.0 and newer on Linux and Windows),
# all of them in one (HoudiniThirdParty), or a file in dsolib.
get_target_property(houdini_includes Houdini INTERFACE_INCLUDE_DIRECTORIES)
function(firn_houdini_library target name)
    if(TARGET Houdini::Dep::${name})
        set(found Houdini::Dep::${name})
    elseif(TARGET HoudiniThirdParty)
        set(found HoudiniThirdParty)
    else()
        find_library(FIRN_HOUDINI_${name} NAMES ${name} NO_DEFAULT_PATH PATHS "${HFS}/dsolib"
            "${HFS}/custom/houdini/dsolib" "${HFS}/../Libraries")
        set(found "${FIRN_HOUDINI_${name}}")
        if(NOT found)
            message(FATAL_ERROR "Houdini ${Houdini_VERSION} has no ${name} that Firn knows of: neither Houdini::Dep::${name} "
                "nor HoudiniThirdParty, and no file in ${HFS}/dsolib")
        endif()
    endif()
    add_library(${target} INTERFACE IMPORTED)
    target_link_libraries(${target} INTERFACE ${found})
    target_include_directories(${target} SYSTEM INTERFACE ${houdini_includes})
    message(STATUS "Houdini ${Houdini_VERSION}: ${target} is ${found}")
endfunction()
firn_houdini_library(TBB::tbb tbb)
firn_houdini_library(OpenVDB::openvdb openvdb_sesi)
message(STATUS "Houdini ${Houdini_VERSION} in ${HFS}, HDK API ${FIRN_HDK_API}${houdini_abi}")

# The plugin and what it stands on, no more.
foreach(room FIRN_TESTS FIRN_BENCH FIRN_TOOLS FIRN_CLI)
    set(${room} OFF)
endforeach()
