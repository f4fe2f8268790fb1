#!/usr/bin/env bash
# Builds Firn and throws a snowball at a wall: out/demo/frame_0001.png ... and a contact sheet.
# Options are handed on: ./demo.sh --frames 24 --resolution 1920x1080 --snow wet; ./demo.sh --help lists them.
set -euo pipefail
cd "$(dirname "$0")"
scripts/setup.sh demo

jobs=$(nproc 2>/dev/null || echo 2)
log=build/demo-build.log
mkdir -p build
echo "demo: building (the first time takes a few minutes) ..."
# The tests and benchmarks stay as they were configured; a fresh folder does without, so that the demo needs less.
fresh=()
[ -f build/release/CMakeCache.txt ] || fresh=(-DFIRN_TESTS=OFF -DFIRN_BENCH=OFF)
if ! { cmake --preset release "${fresh[@]}" && cmake --build --preset release -j "$jobs" --target snowball_demo; } >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "demo: the build failed; the whole log is $log" >&2
    exit 1
fi

build/release/bin/snowball_demo "$@"
case " $* " in *" --help "* | *" --out"*) exit 0 ;; esac
echo
echo "Open out/demo/contact_sheet.png for the whole throw at a glance, or play out/demo/frame_0001.png ... at 24 a second"
echo "(for example: ffmpeg -framerate 24 -i out/demo/frame_%04d.png -pix_fmt yuv420p out/demo/snowball.mp4)."
