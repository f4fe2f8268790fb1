#!/usr/bin/env bash
# gallery.sh [--small] [--work DIR] [SHOT...]: the pictures of docs/gallery.md: simulates the shots, makes render grains of one
# frame of each, and renders it in Blender's Cycles. An hour of simulation and half an hour of rendering for each shot on two
# cores; with --small a few minutes, to see that everything works. What is there already is kept: the same command continues.
#
# Needs build/release/bin/firn (or FIRN), and bpy from PyPI: in the python3 of PYTHON, or in a venv that this script makes.
set -euo pipefail
cd "$(dirname "$0")/.."
firn=${FIRN:-build/release/bin/firn}
work=out/gallery
small=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --small) small=yes ;;
        --work) work=$2; shift ;;
        *) echo "gallery.sh: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done
[[ -x $firn ]] || { echo "gallery.sh: $firn is not there: build it, or set FIRN" >&2; exit 1; }

# name             scene                resolution  frame  grains  layer (m)  changes of the scene
shots=(
    "wall_smash     wall_smash           2.3         16     48      0.06       solver=joint"
    "boot_print     boot_print           2.0         44     64      0.02       camera.eye=[0.30,0.42,0.46] camera.target=[0,0.08,0]"
    "plough         plough               2.0         40     48      0.05       -"
    "roof_slide     roof_slide           2.4         40     48      0.05       -"
    "snowball       snowball_drop        2.3         14     64      0.06       camera.eye=[1.2,0.7,1.9] camera.target=[0,0.3,0]"
    "snowfall       snowfall             2.4         96     48      0.04       -"
)

python=${PYTHON:-$work/venv/bin/python3}
if ! "$python" -c 'import bpy' 2>/dev/null; then
    mkdir -p "$work"
    python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet bpy ||
        { echo "gallery.sh: bpy can't be installed from PyPI; set PYTHON to a python3 that has it" >&2; exit 1; }
    python=$work/venv/bin/python3
fi

for shot in "${shots[@]}"; do
    read -r name scene resolution frame grains layer changes <<<"$shot"
    (($#)) && [[ " $* " != *" $name "* ]] && continue
    run=$work/$name${small:+_small}
    size=1280x720 samples=192
    if [[ $small ]]; then
        resolution=0.7 grains=24 layer=0.1 size=640x360 samples=24
    fi
    sets=(--set "scene.resolution=$resolution" --set "scene.name=$name")
    for change in $changes; do
        [[ $change == - ]] || sets+=(--set "$change")
    done
    # Volumes are not rendered; only the frame of the picture, and those that a resumed run needs, are written.
    "$firn" sim "examples/$scene.toml" "${sets[@]}" --out "$run" --frames "1,$frame" --no-volumes --resume
    # The first frame is written too: a stage has the colliders of all frames, and grains where they are there.
    "$firn" grains "$run" --frames "$frame" --format usda --per-particle "$grains" --layer "$layer"
    [[ -s $run/$name.png ]] || nice "$python" scripts/render_blender.py "$run/$name.usda" "$frame" "$run/$name.png" \
        --size "$size" --samples "$samples" --motion-blur
    "$firn" preview "$run" --frames "$frame" --size "$size" --out "$run/preview_of_it" --force
    echo "$run/$name.png"
done
