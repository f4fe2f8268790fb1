#!/usr/bin/env bash
# Builds the plugin for every Houdini given, into one folder and one zip that serve them all. Takes no licence.
# usage: scripts/houdini_builds.sh [--out DIR] [--jobs N] [--cuda ON|OFF|AUTO] HFS...
#   scripts/houdini_builds.sh /opt/hfs20.5.487 /opt/hfs21.0.440
# Leaves DIR/packages (copy it into a folder of HOUDINI_PATH, or point HOUDINI_PACKAGE_DIR at it) and DIR/firn-VERSION.zip.
# Houdinis with one HDK API version share a plugin: the later in the list stays. Two builds of 20.5 with different ones live side
# by side. The compiler is $CXX, or c++: give the one that Houdini's documentation names (gcc 11.2 for 20.5 and 21.0).
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)

out=$sources/build/houdini jobs=$(nproc 2>/dev/null || echo 2) cuda=AUTO
houdinis=()
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=$2; shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --cuda) cuda=$2; shift 2 ;;
        -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
        -*) echo "houdini_builds: unknown option $1; --help lists them" >&2; exit 2 ;;
        *) houdinis+=("$1"); shift ;;
    esac
done
if [ ${#houdinis[@]} = 0 ]; then
    echo "houdini_builds: give at least one Houdini: scripts/houdini_builds.sh /opt/hfs20.5.487" >&2
    exit 2
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "$out/packages"
failed=()
for hfs in "${houdinis[@]}"; do
    echo "== $hfs"
    work=$out/work/$(basename "$hfs")
    log=$work.log
    mkdir -p "$out/work"
    if cmake -S "$sources" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFIRN_HOUDINI=ON -DHFS="$hfs" \
        -DFIRN_CUDA="$cuda" >"$log" 2>&1 &&
        cmake --build "$work" -j "$jobs" >>"$log" 2>&1 &&
        cmake --install "$work" --prefix "$out" >>"$log" 2>&1; then
        grep -E '^-- Houdini [0-9.]+ in' "$log" || true
    else
        tail -30 "$log" >&2
        failed+=("$hfs")
    fi
done

if [ -d "$out/packages" ]; then
    version=$(sed -n 's/^project(firn VERSION \([0-9.]*\).*/\1/p' "$sources/CMakeLists.txt")
    zip=$out/firn-$version.zip
    rm -f "$zip"
    (cd "$out" && cmake -E tar cf "$zip" --format=zip packages)
    echo "== $zip"
    find "$out/packages" -name '*.so' | sort | sed "s|^$out/||"
fi
if [ ${#failed[@]} -gt 0 ]; then
    echo "houdini_builds: did not build for ${failed[*]}; the logs are in $out/work" >&2
    exit 1
fi
