#!/usr/bin/env bash
# Builds Firn and smashes a wall of snow (examples/wall_smash.toml): out/demo/ holds particles, density and surface volumes,
# pictures, a contact sheet and a page about the run. Options are handed to `firn sim`: ./demo.sh --set scene.resolution=1.5
set -euo pipefail
cd "$(dirname "$0")"
case " $* " in *" --help "* | *" -h "*) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
scripts/setup.sh demo

jobs=$(nproc 2>/dev/null || echo 2)
log=build/demo-build.log
mkdir -p build
echo "demo: building (the first time takes some minutes) ..."
# The tests and benchmarks stay as they were configured; a fresh folder does without, so that the demo needs less.
fresh=()
[ -f build/release/CMakeCache.txt ] || fresh=(-DFIRN_TESTS=OFF -DFIRN_BENCH=OFF)
if ! { cmake --preset release "${fresh[@]}" && cmake --build --preset release -j "$jobs" --target firn; } >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "demo: the build failed; the whole log is $log" >&2
    exit 1
fi

firn=build/release/bin/firn
# The joint solve breaks the wall into chunks at its own strength; it takes its time, so the demo is a little coarser.
"$firn" sim examples/wall_smash.toml --out out/demo --force --set scene.resolution=0.7 "$@"
"$firn" preview out/demo --contact-sheet
"$firn" report out/demo
echo
echo "Open out/demo/report.html in a browser for the whole run, out/demo/contact_sheet.png for the shot at a glance;"
echo "out/demo/wall_smash.usda in Solaris or Blender; out/demo/volumes/*.vdb and out/demo/particles/*.bgeo in Houdini."
