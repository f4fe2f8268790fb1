#!/usr/bin/env bash
# Makes the pictures of docs/examples.md and docs/artist.md: three frames of each scene. Two hours; needs ImageMagick.
# usage: scripts/example_pictures.sh [FIRN]      the runner, build/release/bin/firn unless given
set -euo pipefail
cd "$(dirname "$0")/.."
firn=${1:-build/release/bin/firn}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures

strip() { # strip PICTURE SCENE FRAME FRAME FRAME
    local picture=$1 scene=$2 frame frames=()
    shift 2
    "$firn" sim "examples/$scene.toml" --out "$work/$scene" --frames "1-${*: -1}" --quiet
    for frame in "$@"; do
        "$firn" preview "$work/$scene" --frames "$frame" --size 480x270
        frames+=("$work/$scene/preview/$(printf %04d "$frame").png")
    done
    convert "${frames[@]}" -resize 320x180 +append -quality 82 -sampling-factor 4:2:0 -strip "docs/pictures/$picture.jpg"
}
strip snowball snowball_drop 2 4 8
strip footprints boot_print 1 17 47
strip plough plough 8 20 32
strip wall_smash wall_smash 7 13 25
strip roof_slide roof_slide 6 18 40
strip wall_smash_sticky wall_smash_sticky 7 13 25
strip colliding_snowballs colliding_snowballs 1 5 13
strip snowballs_on_inclines snowballs_on_inclines 1 19 43
strip compression compression 1 41 69
strip weak_layer weak_layer 1 28 55
strip snowfall snowfall 7 37 91
strip saw_test saw_test 8 15 29
strip crack crack 1 6 13
strip tyre tyre 12 26 47
strip sledge sledge 10 24 39
strip snow_angel snow_angel 8 24 47
strip snowball_wall snowball_wall 2 4 20

columns() { # columns PICTURE SCENE FRAME CHANGE...: one column for each change of the scene
    local picture=$1 scene=$2 frame=$3 change pictures=()
    shift 3
    for change in "$@"; do
        "$firn" sim "examples/$scene.toml" --out "$work/$scene" --force --frames "1-$frame" --quiet --set "$change"
        "$firn" preview "$work/$scene" --frames "$frame" --size 640x360
        pictures+=("$work/$scene.${#pictures[@]}.png")
        convert "$work/$scene/preview/$(printf %04d "$frame").png" -gravity center -crop 400x360+0+0 +repage "${pictures[-1]}"
    done
    montage "${pictures[@]}" -tile 3x -geometry 320x288+2+2 -quality 82 -sampling-factor 4:2:0 -strip "docs/pictures/$picture.jpg"
}
columns edge edge 16 material.preset=dry material.theta_c=0.05 material.theta_s=0.002 material.theta_s=0.03 material.E=3e4 material.friction_angle=20
