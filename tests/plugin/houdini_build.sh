#!/usr/bin/env bash
# The plugin's real build, against folders that look like Houdinis (fake_hfs.sh).
# usage: houdini_build.sh SOURCES WORK_FOLDER LIBRARY_OF_THE_FAKE [--build]
# Without --build: configures for each way in which a Houdini may offer its libraries, and looks at what would be compiled
# and linked. With it: scripts/houdini_builds.sh from start to end (minutes), and what it leaves.
set -euo pipefail
sources=$1 work=$2 fake_hdk=$3 mode=${4:-}

fail() {
    echo "houdini_build: $*" >&2
    exit 1
}
fake() { "$sources/tests/plugin/fake_hfs.sh" "$work/$1" "$2" "$3" "$sources/tests/hdk/include" "$fake_hdk" "${4:-}"; }
configure() { # configure HFS BUILD [OPTION...]: what CMake says is in $work/log
    local hfs=$1 build=$2
    shift 2
    rm -rf "$build"
    cmake -S "$sources" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFIRN_HOUDINI=ON -DHFS="$hfs" -DFIRN_CUDA=OFF "$@" \
        >"$work/log" 2>&1
}
told() { tr -s ' \n' ' ' <"$work/log"; } # CMake breaks lines where it likes
command_of() { # command_of BUILD FILE: how it is compiled
    python3 - "$1/compile_commands.json" "$2" <<'PYTHON'
import json, sys
print(next(c["command"] for c in json.load(open(sys.argv[1])) if c["file"].endswith(sys.argv[2])))
PYTHON
}
expect() { # expect TEXT PATTERN WHAT
    grep -qE -- "$2" <<<"$1" || fail "$3: '$2' is missing in: ${1:0:2000}"
}
refuse() {
    if grep -qE -- "$2" <<<"$1"; then fail "$3: '$2' is in: ${1:0:2000}"; fi
}

mkdir -p "$work"
if [ "$mode" = --build ]; then
    fake hfs20.5.111 20.5.111 third
    "$sources/scripts/houdini_builds.sh" --out "$work/out" --jobs 2 --cuda OFF "$work/hfs20.5.111"
    [ ! -e "$work/hfs20.5.111/hython_was_run" ] || fail "hython was run"
    dso=$work/out/packages/firn/hdk21000000/dso/firn.so
    [ -f "$dso" ] || fail "$dso is missing"
    symbols=$(nm -D --defined-only "$dso")
    for entry in newSopOperator initializeSIM HoudiniDSOVersion; do expect "$symbols" " T $entry$" "$dso"; done
    refuse "$symbols" ' T .*4firn' "$dso keeps the engine's functions to itself"
    needed=$(readelf -d "$dso")
    expect "$needed" 'NEEDED.*libtbb' "$dso"
    refuse "$needed" 'RUNPATH|RPATH' "$dso finds Houdini's libraries in the process, not at a path of the build machine"
    refuse "$needed" 'NEEDED.*(libpng|libblosc)' "$dso"
    listing=$(python3 -m zipfile -l "$work"/out/firn-*.zip)
    expect "$listing" 'packages/firn/hdk21000000/dso/firn.so' "the zip"
    expect "$(cat "$work/out/packages/firn.json")" 'hdk21000000' "the package file"
    for made in scripts/python/firn/node_tables.json help/nodes/sop/firn--snow_step.txt geo/boot.obj; do
        expect "$listing" "packages/firn/houdini/$made" "the zip"
    done
    echo "houdini_build: built $dso"
    exit 0
fi

for flavour in dep third files; do
    fake "hfs-$flavour" 20.5.111 $flavour
    configure "$work/hfs-$flavour" "$work/build" || fail "$flavour: $(tail -5 "$work/log")"
    [ ! -e "$work/hfs-$flavour/hython_was_run" ] || fail "$flavour: hython was run: that takes a licence"
    node=$(command_of "$work/build" plugin/dop_snow_solver.cpp)
    expect "$node" "-isystem $work/hfs-$flavour/toolkit/include" "$flavour, a node"
    expect "$node" '-DMAKING_DSO' "$flavour, a node"
    refuse "$node" '-Werror' "$flavour, warnings of somebody else's HDK stop the build"
    for file in solver/engine.cpp solver/devices/cpu_threads.cpp vdb/grids/volume_file.cpp plugin/dop_snow_solver.cpp; do
        compiled=$(command_of "$work/build" $file)
        if [ $flavour = dep ]; then
            expect "$compiled" '-D_GLIBCXX_USE_CXX11_ABI=0' "$flavour, $file: one string ABI for all of the DSO"
        else
            refuse "$compiled" '_GLIBCXX_USE_CXX11_ABI' "$flavour, $file"
        fi
    done
    expect "$(command_of "$work/build" vdb/grids/volume_file.cpp)" "-isystem $work/hfs-$flavour/toolkit/include" "$flavour, OpenVDB"
    linked=$(sed -n '/^build plugin\/dso\/firn\.so/,/^$/p' "$work/build/build.ninja")
    expect "$linked" "$work/hfs-$flavour/dsolib/libtbb.so" "$flavour, the DSO's TBB"
    expect "$linked" "$work/hfs-$flavour/dsolib/libopenvdb_sesi.so" "$flavour, the DSO's OpenVDB"
    refuse "$linked" '/usr/[^ ]*lib(tbb|openvdb)\.so' "$flavour, the system's TBB or OpenVDB"
    expect "$(cat "$work/build/plugin/cmake_install.cmake")" 'packages/firn/hdk21000000/dso' "$flavour, a folder for each HDK API"
    expect "$(cat "$work/build/hda/cmake_install.cmake")" 'packages/firn/houdini"' "$flavour, what all versions share"
    [ ! -e "$work/build/bin/firn" ] || fail "$flavour: the runner is no part of this build"
    echo "houdini_build: $flavour"
done

# Presets make warnings errors; the macros of somebody's HDK are not ours to answer for, unless it is asked for.
flags() { command_of "$work/build" plugin/dop_snow_solver.cpp; }
configure "$work/hfs-third" "$work/build" -DFIRN_WERROR=ON || fail "FIRN_WERROR: $(tail -5 "$work/log")"
refuse "$(flags)" '-Werror' "FIRN_WERROR of a preset"
configure "$work/hfs-third" "$work/build" -DFIRN_HOUDINI_WERROR=ON || fail "FIRN_HOUDINI_WERROR: $(tail -5 "$work/log")"
expect "$(flags)" '-Werror' "FIRN_HOUDINI_WERROR"
echo "houdini_build: warnings"

# Two Houdinis of one release that don't run each other's plugins.
for api in 20050405 20050557; do
    fake hfs-$api 20.5.${api:5} third $api
    configure "$work/hfs-$api" "$work/build" || fail "$api: $(tail -5 "$work/log")"
    expect "$(cat "$work/build/plugin/cmake_install.cmake")" "packages/firn/hdk$api/dso" "HDK API $api"
    mkdir -p "$work/both/packages/firn/hdk$api/dso"
    touch "$work/both/packages/firn/hdk$api/dso/firn.so"
done
"$sources/hda/package/make_package.py" "$work/both/packages" >"$work/log" || fail "$(cat "$work/log")"
for api in 20050405 20050557; do expect "$(cat "$work/both/packages/firn.json")" "FIRN_FOLDER/hdk$api" "both plugins"; done
fake hfs-odd 20.5.111 third none
if configure "$work/hfs-odd" "$work/build"; then fail "an HDK without an API version was accepted"; fi
expect "$(told)" 'no HDK_API_VERSION of eight digits' "without an API version"
echo "houdini_build: two HDK APIs of one release side by side"

if configure "$work/nothing" "$work/build"; then fail "an HFS that is not there was accepted"; fi
expect "$(told)" 'is no folder' "without HFS"
mkdir -p "$work/empty"
if configure "$work/empty" "$work/build"; then fail "an empty HFS was accepted"; fi
expect "$(told)" 'has no HoudiniConfig.cmake' "with an empty HFS"
fake hfs-old 19.5.805 third
if configure "$work/hfs-old" "$work/build"; then fail "Houdini 19.5 was accepted"; fi
expect "$(told)" 'needs 20.0 or newer' "with Houdini 19.5"

if said=$("$sources/scripts/houdini_builds.sh" 2>&1); then fail "houdini_builds.sh without a Houdini was accepted"; fi
expect "$said" 'give at least one Houdini' "houdini_builds.sh"
if said=$("$sources/scripts/houdini_builds.sh" --out "$work/out" "$work/empty" 2>&1); then fail "a build that fails was accepted"; fi
expect "$said" 'did not build for .*empty' "houdini_builds.sh"
echo "houdini_build: what is not a Houdini is refused"
