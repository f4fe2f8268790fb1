#!/usr/bin/env bash
# Makes a folder that looks to CMake like an installed Houdini: the fake's headers where the development kit's are, stand-ins
# for SideFX's CMake files, Debian's TBB and OpenVDB in the place of Houdini's own, and a hython that must never be run.
# usage: fake_hfs.sh FOLDER VERSION FLAVOUR INCLUDE_OF_THE_FAKE [LIBRARY_OF_THE_FAKE [HDK_API_VERSION]]
#   FLAVOUR  dep    TBB and OpenVDB as targets Houdini::Dep::* (20.0), and the old string ABI said as an option
#            third  all of them in HoudiniThirdParty
#            files  no targets: libraries in dsolib alone
set -euo pipefail
folder=$1 version=$2 flavour=$3 include=$4 library=${5:-} api=${6:-}

rm -rf "$folder"
mkdir -p "$folder"/{toolkit/include,toolkit/cmake,dsolib,bin}
for part in "$include"/*; do ln -s "$part" "$folder/toolkit/include/$(basename "$part")"; done
if [ -n "$api" ]; then # a Houdini of its own HDK API version
    rm "$folder/toolkit/include/UT"
    cp -rL "$include/UT" "$folder/toolkit/include/UT"
    sed -i "s/define HDK_API_VERSION .*/define HDK_API_VERSION $api/" "$folder/toolkit/include/UT/UT_HDKVersion.h"
fi
for part in openvdb tbb oneapi; do
    if [ -d /usr/include/$part ]; then ln -s /usr/include/$part "$folder/toolkit/include/$part"; fi
done

system() { # system NAME: the file of a library that the compiler would link
    "${CXX:-c++}" -print-file-name="lib$1.so"
}
ln -s "$(system tbb)" "$folder/dsolib/libtbb.so"
ln -s "$(system openvdb)" "$folder/dsolib/libopenvdb_sesi.so"
[ -z "$library" ] || ln -s "$library" "$folder/dsolib/libHoudiniUT.so"

cat >"$folder/bin/hython" <<SCRIPT
#!/bin/sh
touch "$folder/hython_was_run"
exit 1
SCRIPT
chmod +x "$folder/bin/hython"

IFS=. read -r major minor _ <<<"$version"
cat >"$folder/toolkit/cmake/HoudiniConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION $version)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
CMAKE
cat >"$folder/toolkit/cmake/HoudiniConfig.cmake" <<CMAKE
# A stand-in, written for Firn's tests, for the file that SideFX installs under this name.
set(Houdini_VERSION_MAJOR $major)
set(Houdini_VERSION_MINOR $minor)
get_filename_component(fake_root "\${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

add_library(Houdini INTERFACE)
target_include_directories(Houdini SYSTEM INTERFACE "\${fake_root}/toolkit/include")
target_compile_definitions(Houdini INTERFACE MAKING_DSO SIZEOF_VOID_P=8 SESI_LITTLE_ENDIAN ENABLE_THREADS LINUX
    FIRN_HDK_FAKE_MAJOR=$major FIRN_HDK_FAKE_MINOR=$minor FIRN_HDK_FAKE_RELEASE="$version")
target_compile_options(Houdini INTERFACE -fPIC \$<\$<COMPILE_LANGUAGE:CXX>:-std=c++17> -fno-strict-aliasing)
if(EXISTS "\${fake_root}/dsolib/libHoudiniUT.so")
    add_library(Houdini::HoudiniUT SHARED IMPORTED)
    set_target_properties(Houdini::HoudiniUT PROPERTIES IMPORTED_LOCATION "\${fake_root}/dsolib/libHoudiniUT.so"
        IMPORTED_NO_SONAME ON)
    target_link_libraries(Houdini INTERFACE Houdini::HoudiniUT)
endif()

if("$flavour" STREQUAL "dep")
    target_compile_options(Houdini INTERFACE -D_GLIBCXX_USE_CXX11_ABI=0)
    foreach(name tbb openvdb_sesi)
        add_library(Houdini::Dep::\${name} SHARED IMPORTED)
        set_target_properties(Houdini::Dep::\${name} PROPERTIES IMPORTED_LOCATION "\${fake_root}/dsolib/lib\${name}.so")
    endforeach()
elseif("$flavour" STREQUAL "third")
    add_library(HoudiniThirdParty INTERFACE)
    target_link_libraries(HoudiniThirdParty INTERFACE "\${fake_root}/dsolib/libtbb.so" "\${fake_root}/dsolib/libopenvdb_sesi.so")
endif()

function(houdini_configure_target target)
    cmake_parse_arguments(H "" "INSTDIR;LIB_PREFIX" "" \${ARGN})
    if(NOT H_INSTDIR)
        execute_process(COMMAND "\${fake_root}/bin/hython" -c "print(hou.homeHoudiniDirectory())")
        message(FATAL_ERROR "houdini_configure_target without INSTDIR runs hython, which takes a licence")
    endif()
    set_target_properties(\${target} PROPERTIES PREFIX "\${H_LIB_PREFIX}" LIBRARY_OUTPUT_DIRECTORY "\${H_INSTDIR}"
        LIBRARY_OUTPUT_DIRECTORY_RELEASE "\${H_INSTDIR}")
endfunction()
CMAKE
