#!/usr/bin/env bash
# Every header of ours compiles alone: it includes what it needs. Kernels are written against the execution object of a
# device, which comes before them; everything else they include themselves. Two at a time.
# usage: headers_alone.sh SOURCE_FOLDER COMPILER COMPILE_COMMANDS
set -euo pipefail
source=$1 compiler=$2 commands=$3
# Where the libraries are that a node of the plugin uses: they are all that any header of ours needs.
read -ra options < <(grep -m1 -E '"command".*/plugin/snow_step_sop\.cpp"' "$commands" |
    grep -oE '(-I|-isystem )[^ ]+|-DOPENVDB[^ "]+' | tr '\n' ' ') || true
options+=(-Isolver -Isolver/include -Ivdb -Ivdb/include -Icli -Iplugin)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$source"

check() { # check HEADER
    local header=$1 name
    name=$(tr / _ <<<"$header")
    {
        if grep -qE '\bFIRN_LANES\b|\bFIRN_HD\b' "$header"; then
            echo '#define FIRN_LANES alone'
            echo '#define FIRN_LANE_WIDTH 1'
            case $header in
                */lane.h | */vec.h | */kernel.h | */eigen.h | */law.h | solver/devices/*) ;;
                *) echo '#include "devices/cpu_execution.h"' ;;
            esac
        fi
        echo "#include \"$source/$header\""
        # What is made to be included many times has no guard.
        if grep -q '#pragma once' "$header"; then echo "#include \"$source/$header\""; fi
    } >"$folder/$name.cpp"
    if ! "$compiler" -std=c++17 -fsyntax-only -w "${options[@]}" "$folder/$name.cpp" 2>"$folder/$name.log"; then
        echo "headers_alone: $header does not compile alone:"
        head -5 "$folder/$name.log"
        return 1
    fi
}

# CUDA's own are compiled by nvcc in the build.
mapfile -t headers < <(find solver vdb cli plugin -name '*.h' ! -path '*/cuda_*' | sort)
failed=0 running=0
for header in "${headers[@]}"; do
    check "$header" &
    running=$((running + 1))
    if [ $running -ge 2 ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
done
while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
echo "${#headers[@]} headers"
exit $failed
