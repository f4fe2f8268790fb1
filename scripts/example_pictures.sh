#!/usr/bin/env bash
# Makes the pictures of docs/examples.md and docs/artist.md: three frames of each scene. An hour; needs ImageMagick.
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
strip footprints boot_print 1 17 45
strip plough plough 8 20 32
strip wall_smash wall_smash 7 13 25
strip roof_slide roof_slide 6 18 40
strip wall_smash_sticky wall_smash_sticky 7 13 25
strip colliding_snowballs colliding_snowballs 1 5 13
strip snowballs_on_inclines snowballs_on_inclines 1 19 43
strip compression compression 1 41 69
strip weak_layer weak_layer 1 28 55
strip snowfall snowfall 7 37 91
